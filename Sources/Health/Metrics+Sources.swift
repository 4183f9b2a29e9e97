import Glibc
public import ServiceRuntime
public import Storage
public import WebServer
public import ZeroMQ

/// The metrics of what every process has: sockets, a database, an HTTP server.
extension Metrics {
    /// Adds the counters of the process's sockets, by the value of the label `socket`.
    public func addSockets(_ sockets: [String: @Sendable () -> SocketCounters]) {
        func add(_ name: StaticString, _ help: StaticString, _ count: @escaping @Sendable (SocketCounters) -> Int) {
            counters(name, help, by: "socket") { sockets.mapValues { Double(count($0())) } }
        }
        add("marquee_socket_received_total", "Messages received.") { $0.received }
        add("marquee_socket_sent_total", "Messages handed to ZeroMQ, which may still drop them.") { $0.sent }
        add("marquee_socket_refused_total", "Received messages refused as malformed or for lack of room.") {
            $0.refused
        }
        add(
            "marquee_socket_returned_total",
            "Messages given back to the sender: the send queue was full, or the socket was closed."
        ) {
            $0.returned
        }
        add("marquee_socket_dropped_total", "Messages dropped because a peer does not read.") { $0.dropped }
        add("marquee_socket_unroutable_total", "Replies dropped because the peer is no longer connected.") {
            $0.unroutable
        }
        add("marquee_socket_disconnections_total", "Connections that ended.") { $0.disconnections }
        gauges("marquee_socket_connections", "Clients connected now.", by: "socket") {
            sockets.mapValues { Double($0().connections) }
        }
    }

    /// Adds the size of a database in bytes.
    public func addDatabase(_ database: Database, at location: DatabaseLocation) {
        gauge("marquee_database_size_bytes", "Size of the database's file and its write-ahead log, or of its tables.") {
            guard case .file(let path) = location else { return Double(try await database.read { try $0.size() }) }
            return [path, path + "-wal"].compactMap(fileSize).reduce(0, +)
        }
    }

    /// Adds the counters of an HTTP server.
    public func addWebServer(_ server: HTTPServer) {
        gauge("marquee_http_connections", "Open HTTP connections.") { Double(server.counters.connections) }
        counter("marquee_http_requests_total", "HTTP requests received completely.") {
            Double(server.counters.requests)
        }
        counters(
            "marquee_http_refused_total",
            "HTTP requests refused as malformed or for lack of memory (busy), and connections closed as too slow (late), too many (crowded), or not reading (unread).",
            by: "reason"
        ) {
            let counters = server.counters
            return [
                "malformed": Double(counters.malformed), "busy": Double(counters.busy), "late": Double(counters.late),
                "crowded": Double(counters.crowded), "unread": Double(counters.unread),
            ]
        }
    }
}

/// Returns a file's size in bytes; nil if there is no such file.
private func fileSize(of path: String) -> Double? {
    var status = stat()
    return stat(path, &status) == 0 ? Double(status.st_size) : nil
}
