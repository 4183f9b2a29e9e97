extension Configuration {
    /// Whether and how ZeroMQ's sockets are encrypted.
    public struct Curve: Sendable {
        /// Whether they are; all that talk to each other must agree.
        public var isOn: Bool
        /// The folder of the keys.
        public var folder: String
        /// The name of the servers' key.
        public var server: String
        /// The name of our key where we are a client.
        public var client: String
    }

    /// How many clients there may be, and how much one of them may ask for.
    public struct ClientLimits: Sendable {
        /// Requests and commands a second, in the long run.
        public var requestsPerSecond: Int
        /// Accepted requests that wait for their turn.
        public var waitingRequests: Int
        /// Clients that are connected to one address.
        public var connections: Int

        /// Makes the limits.
        public init(requestsPerSecond: Int, waitingRequests: Int, connections: Int = 4_096) {
            self.requestsPerSecond = requestsPerSecond
            self.waitingRequests = waitingRequests
            self.connections = connections
        }
    }

    /// A process that has addresses of its own.
    public enum ProcessRole: Sendable {
        case worker
        case notifier

        /// Whether it also connects to others.
        public var isClient: Bool { self == .notifier }
    }

    /// Refuses addresses that other machines can reach while nothing is encrypted, unless somebody wants it so.
    public func checkProtection(of owner: ProcessRole) throws(ConfigurationError) {
        guard !curve.isOn, !allowsInsecurity else { return }
        let addresses: [(EnvironmentVariable, ZeroMQAddress)] =
            switch owner {
            case .worker: [(.requests, requests), (.commands, commands), (.events, events)]
            case .notifier: [(.alerts, alerts), (.alertCommands, alertCommands)]
            }
        if let (variable, address) = addresses.first(where: { !$0.1.isLocal }) {
            throw ConfigurationError(
                variable.rawValue,
                "\(address) is open to other machines, and nothing is encrypted; "
                    + "expected \(EnvironmentVariable.curve.rawValue)=on, a local address, or \(EnvironmentVariable.insecure.rawValue)=yes"
            )
        }
    }
}

extension ZeroMQAddress {
    /// Whether only this machine can reach the address once it is bound.
    public var isLocal: Bool {
        guard let tcp = description.dropping(prefix: "tcp://"), let (host, _) = hostAndPort(tcp) else { return true }
        if host == "localhost" || host == "lo" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
