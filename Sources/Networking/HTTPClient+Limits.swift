extension HTTPClient {
    /// How much a client does at once.
    public struct Limits: Sendable {
        /// The requests at once to one host (scheme, name and port; a redirect to another host does not count there).
        public var perHost: Int
        /// The requests at once in all.
        public var total: Int
        /// The requests that may wait for one of those places; one more fails as `unavailable`.
        public var waiting: Int

        /// Makes limits.
        public init(perHost: Int = 4, total: Int = 32, waiting: Int = 1_024) {
            self.perHost = perHost
            self.total = total
            self.waiting = waiting
        }

        /// Makes limits for so many requests at once to one host, and for what else there is beside them.
        public init(callsAtOnce: Int) {
            self.init(perHost: callsAtOnce, total: max(32, callsAtOnce + 8))
        }
    }
}
