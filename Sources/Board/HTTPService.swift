import ServiceRuntime
import WebServer

/// Runs the HTTP server; a stop closes the event streams first, which would keep it running.
struct HTTPService: Service {
    private let server: HTTPServer
    private let streams: EventStreamHub
    private let stopped: AsyncStream<Never>
    private let stopping: AsyncStream<Never>.Continuation

    init(_ server: HTTPServer, streams: EventStreamHub) {
        self.server = server
        self.streams = streams
        (stopped, stopping) = AsyncStream.makeStream(of: Never.self)
    }

    func run() async throws {
        for await _ in stopped {}
        streams.close()
        await server.shutdown(grace: .milliseconds(250))
    }

    func stop() async {
        stopping.finish()
    }
}
