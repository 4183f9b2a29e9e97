extension HTTPServer {
    /// What a stranger may take of the server. The defaults suit a service on one machine; nobody should need others.
    public struct Limits: Sendable {
        /// Open connections; past them new ones wait in the system's queue.
        public var connections = 512
        /// Open connections from one address; past them new ones are closed at once. Behind Docker's gateway, or on
        /// loopback, everybody has the same address.
        public var connectionsPerAddress = 256
        /// Connections that wait for a request or are in the middle of one; past them those that have waited longest are
        /// cut. Fewer than `connections`, or idle ones keep everybody out.
        public var waiting = 192
        /// Bytes for a request's head and one read buffer; a longer head is answered 431 (or 414).
        public var connectionMemory = 16 << 10
        /// Bytes of a request's body; a longer one is answered 413.
        public var body = 64 << 10
        /// How long a whole request may take from the accept, or from the answer before it, to its last byte. It ends
        /// idle connections too. The library's own timeout counts from the last byte: a byte a second holds it for ever.
        public var requestDeadline: Duration = .seconds(15)
        /// How long one may take whose body may be larger (`HTTPServer.BodyLimitOverride`), from its head to its last byte.
        public var uploadDeadline: Duration = .seconds(300)
        /// How long a client may leave an answer unread, in whole seconds.
        public var inactivity: Duration = .seconds(30)

        /// The default limits.
        public init() {}
    }
}
