import FoundationEssentials

/// The memory that the process may use, and the shares of it that others can make the process fill.
///
/// The total is the least `memory.max` of the process's control groups, else `MARQUEE_MEMORY`. Together the
/// shares are three quarters of it; the rest is for the program itself.
public struct MemoryBudget: Sendable, Hashable {
    /// What a share is for; the raw value is the number of parts of 1,000.
    public enum Purpose: Int, Sendable, CaseIterable {
        /// Messages that have not arrived whole, for each socket; of a board, the bodies of requests. At 256 MiB it holds
        /// the largest request, with five images.
        case incompleteMessages = 200
        /// Replies that clients have not read, for each router.
        case unreadReplies = 125
        /// Subscriptions of all clients of a publisher.
        case subscriptions = 60
        /// Bytes queued to HTTP clients.
        case queuedHTTP = 61
        /// Decoding of images.
        case images = 250
        /// Images that the board downloads, and as much of those that wait for the decoder. The worker's upstreams send
        /// 1 MiB each, `MARQUEE_CALLS_AT_ONCE` at a time.
        case upstreamBodies = 62
    }

    /// The memory that the process may use, in bytes.
    public let total: Int

    /// Makes a budget of a number of bytes.
    public init(total: Int) {
        self.total = total
    }

    /// Makes the budget of this process.
    ///
    /// - Parameter setting: The number of bytes where no control group has a limit.
    public init(setting: Int) {
        total = Self.controlGroupLimit { try? String(contentsOfFile: $0, encoding: .utf8) } ?? setting
    }

    /// Returns the bytes of a share.
    public func bytes(for purpose: Purpose) -> Int {
        total / 1_000 * purpose.rawValue
    }

    /// Returns the least memory limit of the process's control group and its parents (cgroup v2); nil if there is none.
    ///
    /// - Parameter read: Returns the text of a file; nil if it cannot be read.
    static func controlGroupLimit(read: (String) -> String?) -> Int? {
        // One line, `0::/path`; in a container the path is that of its own group.
        guard let line = read("/proc/self/cgroup")?.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else {
            return nil
        }
        var names = line.dropFirst("0::/".count).split(separator: "/")[...]
        var least: Int?
        while true {
            let folder = (["/sys/fs/cgroup"] + names).joined(separator: "/")
            // A group without a limit says `max`.
            if let text = read("\(folder)/memory.max"), let limit = Int(text.prefix { $0 != "\n" }) {
                least = min(least ?? limit, limit)
            }
            guard !names.isEmpty else { return least }
            names.removeLast()
        }
    }
}
