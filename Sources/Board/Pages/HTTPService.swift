import Operations
import WebServer

/// Serves until it is stopped; then browsers that watch are told first, so that the rest can end in peace.
struct HTTPService: Service {
    private let server: HTTPServer
    private let hub: EventStreamHub
    private let stopped: AsyncStream<Never>
    private let ending: AsyncStream<Never>.Continuation

    init(_ server: HTTPServer, hub: EventStreamHub) {
        self.server = server
        self.hub = hub
        (stopped, ending) = AsyncStream.makeStream(of: Never.self)
    }

    func run() async throws {
        for await _ in stopped {}
        hub.close()
        await server.shutdown(grace: .milliseconds(250))
    }

    func stop() async {
        ending.finish()
    }
}

extension HTTPServer.Limits {
    /// A page has one connection that stays and some that come and go; behind a proxy all have one address.
    static let board = {
        var limits = HTTPServer.Limits()
        limits.connections = 8_192
        limits.connectionsPerAddress = 8_192
        limits.waitingConnections = 3_072
        return limits
    }()
}
