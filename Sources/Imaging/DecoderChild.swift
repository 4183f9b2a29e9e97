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

/// A seccomp filter that ends the process at every system call but those that a decoder needs.
///
/// Left are reading and writing of what is open, memory that is not executable, and the end. Nothing can be opened,
/// connected, started, or asked about other processes.
enum SystemCallFilter {
    /// The calls that are allowed whatever their arguments are.
    private static let allowed = [
        SYS_read, SYS_write, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_futex, SYS_getrandom,
        SYS_clock_gettime, SYS_fstat, SYS_lseek, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sched_yield, SYS_close,
        SYS_exit, SYS_exit_group,
    ]
    /// The calls that are allowed unless they ask for memory that can be executed.
    private static let mapping = [SYS_mmap, SYS_mprotect]

    /// Installs the filter for all threads of the process; false if the kernel refuses.
    static func install() -> Bool {
        var program = program()
        return program.withUnsafeMutableBufferPointer { instructions in
            var filter = sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
            return marquee_seccomp_filter(&filter) == 0
        }
    }

    static func program() -> [sock_filter] {
        // Offsets in `struct seccomp_data`; of the third argument the low half, on a little-endian machine.
        let (numberOffset, architectureOffset, thirdArgumentOffset) = (UInt32(0), UInt32(4), UInt32(16 + 2 * 8))
        let (kill, allow) = (UInt32(0x8000_0000), UInt32(0x7FFF_0000))  // SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW
        var program = [
            load(architectureOffset), skip(1, ifEqual: marquee_audit_architecture()), end(kill), load(numberOffset),
        ]
        // A number of another table of the same machine, such as x32's, is larger than any of these.
        for number in allowed { program += [skip(0, elseSkip: 1, ifEqual: UInt32(number)), end(allow)] }
        for number in mapping {
            program += [
                skip(0, elseSkip: 4, ifEqual: UInt32(number)), load(thirdArgumentOffset),
                sock_filter(code: UInt16(BPF_JMP | BPF_JSET | BPF_K), jt: 0, jf: 1, k: UInt32(PROT_EXEC)), end(kill),
                end(allow),
            ]
        }
        return program + [end(kill)]
    }

    private static func load(_ offset: UInt32) -> sock_filter {
        sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset)
    }

    private static func skip(_ count: UInt8, elseSkip other: UInt8 = 0, ifEqual value: UInt32) -> sock_filter {
        sock_filter(code: UInt16(BPF_JMP | BPF_JEQ | BPF_K), jt: count, jf: other, k: value)
    }

    private static func end(_ action: UInt32) -> sock_filter {
        sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: action)
    }
}
