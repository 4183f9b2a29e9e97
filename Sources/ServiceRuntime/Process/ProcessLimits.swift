import CLibc
import Glibc

/// Limits that a process sets for itself at its start.
public enum ProcessLimits {
    // libzmq and libcurl make tables of the size of the limit, and some systems allow a billion files.
    private static let maximumOpenFiles: rlim_t = 65_536

    /// The number of files and sockets that the process may open (`RLIMIT_NOFILE`); 0 if the system call fails.
    public static var openFiles: Int {
        Int(clamping: openFileLimit?.rlim_cur ?? 0)
    }

    /// Raises the limit of open files as far as the system allows, at most to 65,536.
    ///
    /// libzmq aborts the process when it reaches the limit.
    public static func raiseOpenFiles() {
        guard var limit = openFileLimit else { return }
        let wanted = min(limit.rlim_max, maximumOpenFiles)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // Cannot fail: every process may raise its limit to the hard one.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static var openFileLimit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }

    /// Disables core dumps for good (`RLIMIT_CORE`): a dump would contain every key in memory.
    public static func disableCoreDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // Cannot fail: every process may lower its limits.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Makes every file and folder that the process creates readable by its owner only (`umask`), whatever the shell says.
    ///
    /// Child processes inherit it.
    public static func keepFilesPrivate() {
        umask(0o077)
    }

    /// Prevents that the process or its children gain rights by starting a program (`PR_SET_NO_NEW_PRIVS`).
    public static func refuseNewPrivileges() {
        // Cannot fail with these arguments since Linux 3.5.
        _ = marquee_prctl(PR_SET_NO_NEW_PRIVS, 1)
    }

    /// Sets whether other processes of the same user may read this one's memory and environment (`PR_SET_DUMPABLE`).
    ///
    /// Root still can. The setting lasts until the process starts another program, so each process sets its own.
    public static func setTraceable(_ isTraceable: Bool) {
        // Cannot fail with these arguments.
        _ = marquee_prctl(PR_SET_DUMPABLE, isTraceable ? 1 : 0)
    }

    /// Makes malloc keep up to 8 MiB of freed memory instead of giving it back to the kernel (`mallopt`).
    public static func keepFreedMemory() {
        // A page of the event log is one or two megabytes, allocated on one thread and freed on another. By default each
        // went back to the kernel, which took a fifth of the time of a replay.
        // Fails only for an unknown parameter.
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }
}
