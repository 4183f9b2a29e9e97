public import Operations
public import ZeroMQ

/// Who may connect to a process, and what they may do there: its keys, its clients' keys and its door.
public struct AccessControl: Sendable {
    /// What each message has to pass.
    public let door: RequestGuard
    /// What holds for each socket that clients connect to.
    public let socketOptions: SocketOptions
    private let encryption: Encryption?
    private let connections: ConnectionAuditLog

    /// Reads the keys, if there is encryption; throws if one is missing, or if the process would be open to strangers.
    public init(
        _ configuration: Configuration, of owner: Configuration.ProcessRole, metrics: Metrics, logger: Logger
    ) throws {
        try configuration.checkProtection(of: owner)
        connections = ConnectionAuditLog(metrics: metrics, logger: logger)
        var options = SocketOptions()
        options.maximumConnections = configuration.clientLimits.connections
        socketOptions = options
        guard configuration.curve.isOn else {
            encryption = nil
            door = RequestGuard(nil, limits: configuration.clientLimits, metrics: metrics)
            return
        }
        let folder = KeyFolder(configuration.curve.folder)
        let clients = ClientKeyStore(folder, logger: logger, clock: ContinuousClock())
        door = RequestGuard(clients, limits: configuration.clientLimits, metrics: metrics)
        let server = Encryption.Server(keys: try folder.pair(configuration.curve.server)) { key, socket in
            guard let client = clients.client(with: key) else { return .refused(.unknownKey) }
            return Self.mayUse(socket, client.roles) ? .admitted(name: client.name) : .refused(.missingRole)
        }
        encryption = Encryption(client: try owner.isClient ? configuration.clientEncryption() : nil, server: server)
    }

    /// Starts the thread of the process's sockets.
    public func makeThread() throws -> IOThread {
        try IOThread(encryption: encryption) { [connections] in
            connections.note($0)
        } onDrop: { [connections] in
            connections.note($0)
        }
    }

    /// What a whole socket is for; a router serves commands of many roles, and looks at each.
    private static func mayUse(_ socket: SocketKind, _ roles: Set<Role>) -> Bool {
        switch socket {
        case .publisher: roles.contains(.read)
        case .subscriber: !roles.isDisjoint(with: [.request, .operate])
        case .router, .dealer: true
        }
    }
}

extension Configuration {
    /// Starts the thread of a program that only connects, with its key if there is encryption.
    public func makeClientThread() throws -> IOThread {
        try IOThread(encryption: curve.isOn ? Encryption(client: clientEncryption(), server: nil) : nil)
    }

    fileprivate func clientEncryption() throws(KeyError) -> Encryption.Client {
        let folder = KeyFolder(curve.folder)
        return Encryption.Client(keys: try folder.pair(curve.client), server: try folder.publicKey(curve.server))
    }
}
