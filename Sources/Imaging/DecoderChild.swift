import CLibc
import Concurrency
import Glibc

/// The child process's side of one decoding: gives up every right, then reads an image and writes a JPEG.
public enum DecoderChild {
    /// How the child ends, if nothing else ends it.
    enum Status: Int32 {
        /// The JPEG has been written.
        case done = 0
        /// The image is refused.
        case refused = 1
        /// The kernel did not take the rights away, so nothing was read.
        case unprotected = 3
    }

    /// The most bytes that the process may map beyond what it has at its start: the decoder's limit, the file and its
    /// copy, the result, and the allocator's own.
    static let memoryLimit = DecodingPlan.memoryLimit + 64 << 20
    /// The most seconds of processor time. A child that waits instead is ended by its parent.
    private static let processorSeconds: UInt = 5
    private static let inputLimit = 16 << 20

    /// The child's arguments for a target.
    static func arguments(of target: ImageDecoder.Target) -> [String] {
        [target.width, target.height, target.quality, target.bytes].map(String.init)
    }

    /// Decodes the image on standard input; `arguments` are those after the command. Never returns.
    ///
    /// Call it before anything else is started: the process's other threads would keep their rights.
    public static func run(_ arguments: [String]) -> Never {
        let numbers = arguments.compactMap(Int.init)
        guard numbers.count == 4, numbers.allSatisfy({ $0 > 0 }), numbers[2] <= 100 else {
            _exit(Status.refused.rawValue)
        }
        guard limitProcess() else { _exit(Status.unprotected.rawValue) }
        guard let file = readInput(),
            var bitmap = Bitmap(decoding: file, toFit: numbers[0], numbers[1])
        else { _exit(Status.refused.rawValue) }
        var bytes = bitmap.encodeJPEG(quality: numbers[2])
        while bytes.count > numbers[3], bitmap.width > 1 || bitmap.height > 1 {
            bitmap = bitmap.shrunk(toFit: max(1, bitmap.width * 4 / 5), max(1, bitmap.height * 4 / 5))
            bytes = bitmap.encodeJPEG(quality: numbers[2])
        }
        // Nothing waits for a result that cannot be written.
        _exit((try? writeAll(bytes, to: STDOUT_FILENO)) != nil ? Status.done.rawValue : Status.refused.rawValue)
    }

    // MARK: Rights

    /// Limits memory, time and files, and leaves only the system calls of memory and of open files.
    private static func limitProcess() -> Bool {
        // The sanitizers map and call what they like; their builds test the decoders, not the limits.
        guard !isSanitized else { return true }
        guard let mapped = mappedBytes(), marquee_close_from(STDERR_FILENO + 1) == 0 else { return false }
        let limits: [(__rlimit_resource, UInt)] = [
            (RLIMIT_AS, UInt(mapped + memoryLimit)), (RLIMIT_CPU, processorSeconds), (RLIMIT_CORE, 0),
            (RLIMIT_FSIZE, 0), (RLIMIT_NOFILE, 0),
        ]
        for (resource, value) in limits {
            var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
            guard setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return false }
        }
        guard marquee_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0, marquee_prctl(PR_SET_DUMPABLE, 0) == 0 else { return false }
        return SystemCallFilter.install()
    }

    /// Whether the program was built with the address or the thread sanitizer.
    static var isSanitized: Bool {
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    }

    /// The bytes of address space that the process has mapped.
    private static func mappedBytes() -> Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let pages = strtol(line, nil, 10)
        return pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : nil
    }

    // MARK: Input and output

    private static func readInput() -> [UInt8]? {
        var file: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while file.count <= inputLimit {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count == 0 { return file }
            guard count > 0 || errno == EINTR else { return nil }
            file += buffer[..<max(0, count)]
        }
        return nil
    }
}
