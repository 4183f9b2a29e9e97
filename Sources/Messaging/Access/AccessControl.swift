internal import Contract
public import ServiceRuntime
public import ZeroMQ

/// Access to a process's sockets: its own keys, its clients' keys, the clients' roles and the limits on each client.
public struct AccessControl: Sendable {
    /// Checks the role and the rate of each request and command.
    public let requestGuard: RequestGuard
    /// The options of every socket that clients connect to.
    public let socketOptions: SocketOptions
    private let encryption: Encryption?
    private let connections: ConnectionAuditLog
    private let clients: ClientKeys?

    /// Reads the keys if encryption is on. Throws, too, if the process cannot listen at its addresses, or would accept
    /// unencrypted connections from other hosts without the operator's consent.
    public init(_ configuration: Configuration, of owner: Configuration.ProcessRole, _ runtime: Runtime) throws {
        let (metrics, logger) = (runtime.metrics, runtime.logger)
        try configuration.checkAddresses(of: owner)
        connections = ConnectionAuditLog(metrics: metrics, logger: logger)
        var options = SocketOptions()
        options.maximumConnections = configuration.clientLimits.connections
        options.maximumConnectionsPerKey = configuration.clientLimits.connectionsPerKey
        options.maximumPendingConnections = configuration.clientLimits.pendingConnections
        options.incompleteBytes = configuration.memoryBudget.bytes(for: .incompleteMessages)
        options.unreadBytes = configuration.memoryBudget.bytes(for: .unreadReplies)
        options.isTopicPrefix = Topic.canBegin
        options.subscriptionBytes = min(
            options.subscriptionBytes,
            configuration.memoryBudget.bytes(for: .subscriptions) / SocketOptions.subscriptionCost)
        socketOptions = options
        let folder = KeyFolder(configuration.curve.folder)
        let clients = configuration.curve.isOn ? ClientKeys(folder, logger: logger, clock: runtime.clock) : nil
        self.clients = clients
        requestGuard = RequestGuard(clients, limits: configuration.clientLimits, metrics: metrics, logger: logger)
        guard let clients else {
            encryption = nil
            return
        }
        let server = Encryption.Server(keys: try folder.pair(configuration.curve.server)) { key, socket in
            guard let client = clients.client(with: key) else { return .refused(.unknownKey) }
            return Self.mayUse(socket, client.roles) ? .admitted(name: client.name) : .refused(.missingRole)
        }
        encryption = Encryption(client: try owner.isClient ? configuration.clientEncryption() : nil, server: server)
    }

    /// Starts the I/O thread that owns the process's sockets.
    public func makeThread() throws -> IOThread {
        try IOThread(encryption: encryption, onHandshakeFailure: connections.record, onDrop: connections.record)
    }

    /// Disconnects the clients whose key was removed, replaced or has lost a role, within a second or two; runs until the
    /// task is cancelled. A publisher's clients whose key is not known yet are disconnected, too, and connect again.
    public func disconnectWithdrawnClients(
        from io: IOThread, clock: any Clock<Duration> = ContinuousClock()
    ) async {
        guard let clients else { return }
        while (try? await clock.sleep(for: .seconds(1))) != nil {
            let keys = clients.takeWithdrawn()
            if !keys.isEmpty { io.disconnect(keys: keys) }
        }
    }

    static func mayUse(_ socket: SocketKind, _ roles: Set<Role>) -> Bool {
        switch socket {
        case .publisher: roles.contains(.read)
        case .subscriber: !roles.isDisjoint(with: [.request, .shop])
        case .router, .dealer: true
        }
    }
}

extension Configuration {
    /// Starts the I/O thread of a program that only connects, with the program's key if encryption is on.
    public func makeClientThread() throws -> IOThread {
        try IOThread(encryption: curve.isOn ? Encryption(client: clientEncryption(), server: nil) : nil)
    }

    fileprivate func clientEncryption() throws(KeyError) -> Encryption.Client {
        let folder = KeyFolder(curve.folder)
        return Encryption.Client(keys: try folder.pair(curve.client), server: try folder.publicKey(curve.server))
    }
}

struct ConnectionAuditLog: Sendable {
    // Each kind has its own limit: a client whose key is withdrawn is refused as it connects again, within a second.
    private let failures: RateLimitedLogger
    private let drops: RateLimitedLogger
    private let failed: [HandshakeFailure.Reason: Counter]
    private let dropped: [DroppedConnection.Reason: Counter]

    init(metrics: Metrics, logger: Logger) {
        failures = RateLimitedLogger(logger)
        drops = RateLimitedLogger(logger)
        failed = metrics.counters(
            "marquee_handshakes_failed_total", "Connections that failed before their first message, by reason.",
            for: HandshakeFailure.Reason.allCases
        ) { ["reason": $0.rawValue] }
        dropped = metrics.counters(
            "marquee_connections_cut_total",
            "Connections closed by us, by reason: an incomplete message that grew too large, unread replies, subscriptions, too many connections of a key, no first message, or a withdrawn key.",
            for: DroppedConnection.Reason.allCases
        ) { ["reason": $0.rawValue] }
    }

    func record(_ failure: HandshakeFailure) {
        failed[failure.reason]?.add()
        failures.warning(
            "connection refused: the handshake failed",
            [
                .address: failure.address ?? "unknown", .reason: failure.reason.rawValue,
                .kind: failure.socket.rawValue, .key: failure.key,
            ])
    }

    func record(_ connection: DroppedConnection) {
        dropped[connection.reason]?.add()
        // No fault: a client may connect before it has a question.
        guard connection.reason != .silent else { return }
        drops.warning(
            connection.reason == .revoked
                ? "connection closed: a client's key was withdrawn" : "connection closed: the client exceeded a limit",
            [
                .address: connection.address ?? "unknown", .reason: connection.reason.rawValue,
                .kind: connection.socket.rawValue,
            ])
    }
}
