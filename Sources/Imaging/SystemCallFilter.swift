import CLibc
import Glibc

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

    /// The offsets in `struct seccomp_data`: number, architecture, instruction pointer, six arguments of 8 bytes.
    private enum Offset {
        static let number: UInt32 = 0
        static let architecture: UInt32 = 4
        /// The low half of the third argument, on a little-endian machine.
        static let thirdArgument: UInt32 = 16 + 2 * 8
    }

    static func program() -> [sock_filter] {
        let (kill, allow) = (UInt32(0x8000_0000), UInt32(0x7FFF_0000))  // SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW
        var program = [
            load(Offset.architecture), skip(1, ifEqual: marquee_audit_architecture()), end(kill), load(Offset.number),
        ]
        // A number of another table of the same machine, such as x32's, is larger than any of these.
        for number in allowed { program += [skip(0, elseSkip: 1, ifEqual: UInt32(number)), end(allow)] }
        for number in mapping {
            program += [
                skip(0, elseSkip: 4, ifEqual: UInt32(number)), load(Offset.thirdArgument),
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
