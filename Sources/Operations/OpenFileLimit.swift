import Glibc

/// How many files and sockets the process may have open (`RLIMIT_NOFILE`).
public enum OpenFileLimit {
    /// More than we ever need; some systems allow a billion, and libraries make tables of that size.
    private static let enough: rlim_t = 65_536

    /// The limit as it stands; 0 if the system does not tell.
    public static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as the system lets us and returns it; libzmq ends the process where it is reached.
    @discardableResult
    public static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        let wanted = min(limit.rlim_max, enough)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
