import CLibc
import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Images decoded in child processes of the built program.
@Suite(.patience) struct ImageDecoderTests {
    /// With time for a machine that does much else.
    private static let decoder = ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120))
    private static let small = ImageDecoder.Target(width: 144, height: 216, quality: 82)

    /// Returns a decoder whose child is a shell script.
    private static func decoder(
        running script: String, in folder: TemporaryFolder, deadline: Duration = .seconds(15)
    ) throws -> ImageDecoder {
        // The program itself is never written here: another test's child may hold the file open, and it could not start.
        let path = folder.file("child")
        if !FileManager.default.fileExists(atPath: path) {
            let program = URL(filePath: #filePath).appending(path: "../../Counterparts/decoder.sh").standardized.path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: program)
        }
        try Data("\(script)\n".utf8).write(to: URL(filePath: folder.file("script")))
        return ImageDecoder(program: path, deadline: deadline)
    }

    @Test("a child process makes the same JPEG as this process would")
    func same() async throws {
        let bitmap = Bitmap(width: 600, height: 900) { x, y in Color(x * y < 90_000 ? 0xC02040 : 0) }
        for file in [bitmap.encodeJPEG(), bitmap.encodePNG()] {
            let expected = Bitmap(decoding: file, toFit: 144, 216)?.encodeJPEG(quality: 82)
            #expect(try await Self.decoder.jpeg(of: file, Self.small) == expected)
        }
        #expect(try await Self.decoder.jpeg(of: Sample.webpLossless.bytes, Self.small)?.isEmpty == false)
    }

    @Test("an image within the 64 MB is decoded within the child's limits")
    func largest() async throws {
        let jpeg = CraftedJPEG.progressive(width: 5_100, height: 3_900, sampling: (2, 2))
        let header = try #require(ImageHeader.read(jpeg))
        #expect(try #require(DecodingPlan(of: jpeg, header, toFit: 144, 216)).memory > 57 << 20)
        #expect(ImageHeader.read(try await Self.decoder.jpeg(of: jpeg, Self.small) ?? [])?.width == 144)
    }

    @Test("a damaged image is refused, and so is one that would take too much memory")
    func refused() async throws {
        let whole = Bitmap(width: 300, height: 300).encodePNG()
        #expect(try await Self.decoder.jpeg(of: whole.dropLast(40), Self.small) == nil)
        let bomb = CraftedJPEG.progressive(width: 6_300, height: 6_300)
        #expect(try await Self.decoder.jpeg(of: bomb, Self.small) == nil)
    }

    @Test("a result is made smaller until it has no more bytes than are wanted")
    func bytes() async throws {
        var generator = SeededGenerator(seed: 3)
        let bitmap = Bitmap(width: 200, height: 200) { _, _ in
            Color(UInt32.random(in: 0...0xFFFFFF, using: &generator))
        }
        let target = ImageDecoder.Target(width: 200, height: 200, quality: 82, bytes: 4_000)
        let result = try #require(try await Self.decoder.jpeg(of: bitmap.encodePNG(), target))
        #expect(result.count <= 4_000 && ImageHeader.read(result)?.format == .jpeg)
    }

    @Test("a child that dies, fails, or writes anything but the JPEG that was asked for refuses the image")
    func hostileChild() async throws {
        let folder = try TemporaryFolder()
        let file = Bitmap(width: 10, height: 10).encodePNG()
        let large = folder.file("large.jpg")
        try Data(Bitmap(width: 300, height: 10).encodeJPEG()).write(to: URL(filePath: large))
        for script in [
            "kill -9 $$", "kill -SEGV $$", "exit 1", "echo '<script>'", "cat", "cat \(large)",
            "exec /bin/dd if=/dev/zero bs=1048576 count=40 2>/dev/null",
        ] {
            let decoder = try Self.decoder(running: script, in: folder)
            #expect(try await decoder.jpeg(of: file, Self.small) == nil, "\(script)")
        }
    }

    @Test("a child that hangs, or closes its output and runs on, is killed")
    func hangingChild() async throws {
        let folder = try TemporaryFolder()
        let file = Bitmap(width: 10, height: 10).encodePNG()
        for script in ["exec /bin/sleep 1000", "exec 1>&-; exec /bin/sleep 1000"] {
            let decoder = try Self.decoder(running: "echo $$ > \(folder.file("id"))\n\(script)", in: folder)
            #expect(try await decoder.jpeg(of: file, Self.small) == nil)
            let id = try #require(
                pid_t(try String(contentsOfFile: folder.file("id"), encoding: .utf8).dropLast()))
            #expect(kill(id, 0) == -1 && errno == ESRCH)
        }
    }

    @Test("the child has no environment, and neither a terminal nor this process's output")
    func surroundings() async {
        // In a process of its own, because changing the environment is not safe beside other threads.
        await #expect(processExitsWith: .success) {
            setenv("MARQUEE_TEST_SECRET", "secret", 1)
            let folder = try TemporaryFolder()
            let seen = folder.file("seen")
            let decoder = try ImageDecoderTests.decoder(
                running: "/usr/bin/env > \(seen); /bin/readlink /proc/self/fd/2 >> \(seen)", in: folder,
                deadline: .seconds(120))
            _ = try await decoder.jpeg(of: Bitmap(width: 10, height: 10).encodePNG(), ImageDecoderTests.small)
            let text = try String(contentsOfFile: seen, encoding: .utf8)
            #expect(!text.contains("secret") && text.contains("/dev/null"))
        }
    }

    @Test("a program that cannot be started is an error, and says nothing about the image")
    func missingProgram() async throws {
        let decoder = ImageDecoder(program: "/nonexistent/marquee")
        await #expect(throws: ImageDecoder.ImageDecoderError.self) {
            try await decoder.jpeg(of: Bitmap(width: 10, height: 10).encodePNG(), Self.small)
        }
    }

    @Test("the child has given up its rights before it reads")
    func rights() async throws {
        let child = Process()
        child.executableURL = URL(filePath: BuiltProgram.path)
        child.arguments = [ImageDecoder.command, "10", "10", "82", "1000"]
        child.standardOutput = FileHandle.nullDevice
        let input = try childStart.withLock { _ in
            let pipe = Pipe()
            child.standardInput = pipe
            try child.run()
            return pipe.fileHandleForWriting
        }
        // It reads one byte of many, and waits for the rest.
        try input.write(contentsOf: Data([0xFF]))
        let status = "/proc/\(child.processIdentifier)/status"
        if !DecoderChild.isSanitized {
            let text = try await waitUntil("the filter of system calls") {
                let text = try String(contentsOfFile: status, encoding: .utf8)
                try #require(!text.contains("State:\tZ"))
                return text
            } is: {
                $0.contains("Seccomp:\t2")
            }
            #expect(text.contains("NoNewPrivs:\t1"))
        }
        try input.close()
        child.waitUntilExit()
        #expect(child.terminationReason == .exit && child.terminationStatus == DecoderChild.Status.refused.rawValue)
    }

    @Test("the filter allows no call that opens, connects, starts, signals, or makes memory executable")
    func filter() {
        let allowed = [SYS_read, SYS_write, SYS_munmap, SYS_brk, SYS_futex, SYS_exit_group]
        for call in allowed { #expect(Filter.allows(call), "\(call)") }
        let forbidden = [
            SYS_openat, SYS_socket, SYS_connect, SYS_clone, SYS_clone3, SYS_execve, SYS_kill, SYS_tgkill, SYS_ptrace,
            SYS_prctl, SYS_seccomp, SYS_ioctl, SYS_sendmsg, SYS_recvmsg, SYS_memfd_create, SYS_io_uring_setup,
            SYS_process_vm_readv, SYS_getpid,
        ]
        for call in forbidden { #expect(!Filter.allows(call), "\(call)") }
        for call in [SYS_mmap, SYS_mprotect] {
            #expect(Filter.allows(call, thirdArgument: PROT_READ | PROT_WRITE))
            #expect(!Filter.allows(call, thirdArgument: PROT_READ | PROT_EXEC))
        }
        #expect(!Filter.allows(SYS_read, isOwnArchitecture: false))
        #expect(!Filter.allows(SYS_read | 0x4000_0000))
    }
}

/// Runs the filter's program as the kernel does.
private enum Filter {
    static func allows(_ call: Int32, thirdArgument: Int32 = 0, isOwnArchitecture: Bool = true) -> Bool {
        let program = SystemCallFilter.program()
        var (accumulator, position) = (UInt32(0), 0)
        while true {
            let instruction = program[position]
            position += 1
            switch Int32(instruction.code) {
            case BPF_LD | BPF_W | BPF_ABS:
                switch instruction.k {
                case 0: accumulator = UInt32(call)
                case 4: accumulator = isOwnArchitecture ? marquee_audit_architecture() : 1
                default: accumulator = UInt32(thirdArgument)
                }
            case BPF_JMP | BPF_JEQ | BPF_K:
                position += Int(accumulator == instruction.k ? instruction.jt : instruction.jf)
            case BPF_JMP | BPF_JSET | BPF_K:
                position += Int(accumulator & instruction.k != 0 ? instruction.jt : instruction.jf)
            default:
                return instruction.k == 0x7FFF_0000
            }
        }
    }
}
