import CLibc
internal import Concurrency
import Glibc

/// Decodes strangers' images, one at a time, each in a child process that may do nothing else.
///
/// The child is this program with the argument `decode-image`: see ``DecoderChild``. It has no file, no network, no
/// environment, 64 MB for the decoder and five seconds of processor time. Whatever ends it otherwise than with an image
/// means that the image is refused: a decoder that crashes, or is made to run a stranger's code, takes nothing with it.
///
/// See docs/decisions/image-decoding-process.md.
public final class ImageDecoder: Sendable {
    /// A child process could not be started, or could not give up its rights. Nothing is said about the image.
    public struct ImageDecoderError: Error, Sendable, CustomStringConvertible {
        let reason: String
        /// One line.
        public var description: String { "cannot decode an image in a process of its own: \(reason)" }
    }

    /// What to make of an image: a JPEG.
    public struct Target: Hashable, Sendable {
        let width: Int
        let height: Int
        let quality: Int
        let bytes: Int

        /// Makes a target of at most `width` × `height` pixels and `bytes`, to which the image is shrunk; the quality is
        /// 1 to 100, and no JPEG has more than 16 MiB.
        public init(width: Int, height: Int, quality: Int, bytes: Int = ImageDecoder.maximumOutput) {
            self.width = width
            self.height = height
            self.quality = quality
            self.bytes = min(bytes, ImageDecoder.maximumOutput)
        }
    }

    /// The first argument of the child.
    public static let command = "decode-image"
    /// The most bytes of a result: a child that writes more is ended.
    public static let maximumOutput = 16 << 20

    private let program: String
    private let deadline: Duration
    let permit = AsyncSemaphore(permits: 1)

    /// Makes a decoder that runs `program`: this process's own, also after an upgrade has replaced the file.
    ///
    /// - Parameter deadline: How long one image may take. It is longer than the five seconds of processor time, so that a
    ///   busy machine does not refuse an honest image.
    public init(program: String = "/proc/self/exe", deadline: Duration = .seconds(15)) {
        self.program = program
        self.deadline = deadline
    }

    /// Whether an image can be decoded, as far as its headers say: a JPEG, PNG or still WebP that takes at most 64 MB.
    public static func canDecode(_ file: [UInt8], to target: Target) -> Bool {
        guard let header = ImageHeader.read(file) else { return false }
        return DecodingPlan(of: file, header, toFit: target.width, target.height) != nil
    }

    /// Decodes a file and makes a JPEG of it; nil if it is no image, is damaged, or takes too much memory or time.
    /// Waits for the images before it; cancellation does not end it.
    public func jpeg(of file: [UInt8], _ target: Target) async throws(ImageDecoderError) -> [UInt8]? {
        // Most of what is refused is refused without a process.
        guard Self.canDecode(file, to: target) else { return nil }
        let result = await permit.withPermit { [program, deadline] in
            await withCheckedContinuation { continuation in
                do throws(SystemError) {
                    // A thread that blocks until the child has ended.
                    try startThread {
                        let child = DecoderParent(program: program, deadline: deadline)
                        let result = Result { () throws(ImageDecoderError) in try child.run(file, target) }
                        continuation.resume(returning: result)
                    }
                } catch {
                    continuation.resume(returning: .failure(ImageDecoderError(reason: "\(error)")))
                }
            }
        }
        guard let bytes = try result.get() else { return nil }
        // What a child writes is not trusted either.
        guard let header = ImageHeader.read(bytes), header.format == .jpeg, header.width <= target.width,
            header.height <= target.height, bytes.count <= target.bytes
        else { return nil }
        return bytes
    }
}

/// This process's side of one decoding: starts the child, reads what it writes, and ends it.
struct DecoderParent {
    typealias Failure = ImageDecoder.ImageDecoderError

    let program: String
    let deadline: Duration

    /// Blocks until the child has ended; returns what it has made, or nil if it refused the image or was ended.
    func run(_ file: [UInt8], _ target: ImageDecoder.Target) throws(Failure) -> [UInt8]? {
        // The file is in memory that the child reads, so that nobody has to be waited for while it is written.
        let input = marquee_memfd_create("image")
        guard input >= 0 else { throw failure("memfd_create") }
        defer { close(input) }
        // Back to the beginning: the child shares the offset.
        do throws(SystemError) { try writeAll(file, to: input) } catch { throw Failure(reason: "\(error)") }
        guard lseek(input, 0, SEEK_SET) == 0 else { throw failure("lseek") }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let started = Result { () throws(Failure) in try start(target, input: input, output: ends[1]) }
        close(ends[1])
        let child = try started.get()
        let output = read(ends[0])
        // Kills a child that has closed the pipe and still runs, or has not written in time. One that has ended keeps
        // its status.
        kill(child, SIGKILL)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let hasExited = status & 0x7F == 0
        let code = (status >> 8) & 0xFF
        if hasExited, code == DecoderChild.Status.unprotected.rawValue {
            throw Failure(reason: "the kernel does not let a process give up its rights (seccomp)")
        }
        if hasExited, code == 127 { throw Failure(reason: "\(program) cannot be started") }
        return hasExited && code == DecoderChild.Status.done.rawValue ? output : nil
    }

    private func failure(_ call: String) -> Failure {
        Failure(reason: "\(call): \(String(cString: strerror(errno)))")
    }

    /// Starts the child with its input and its output; it closes whatever else it has inherited before it reads them.
    private func start(_ target: ImageDecoder.Target, input: Int32, output: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // In a group of its own: Ctrl-C does not end it, so no image is refused for that.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = ["marquee", ImageDecoder.command] + DecoderChild.arguments(of: target)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for copy in arguments { free(copy) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var child = pid_t()
        let status = posix_spawn(&child, program, &actions, &attributes, &arguments, &environment)
        guard status == 0 else { throw Failure(reason: "\(program): \(String(cString: strerror(status)))") }
        return child
    }

    /// Reads until the child closes the pipe; nil if it does not in time, or writes too much.
    private func read(_ descriptor: Int32) -> [UInt8]? {
        let clock = ContinuousClock()
        let end = clock.now + deadline
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let left = (end - clock.now).components
            let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0, output.count <= ImageDecoder.maximumOutput else { return nil }
            var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&events, 1, Int32(milliseconds))
            guard ready > 0 else {
                if ready < 0, errno == EINTR { continue }
                return nil
            }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return output }
            if count > 0 {
                output += buffer[..<count]
            } else if errno != EINTR {
                return nil
            }
        }
    }
}
