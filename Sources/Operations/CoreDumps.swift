import Glibc

/// What a crash leaves on the disk (`RLIMIT_CORE`).
public enum CoreDumps {
    /// Forbids core dumps from now on: one would hold every key that the process has in memory.
    public static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // Cannot fail: everybody may lower a limit.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
