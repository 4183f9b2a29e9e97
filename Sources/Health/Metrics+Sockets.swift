public import Operations
public import ZeroMQ

extension Metrics {
    /// Adds what the process's sockets have done, by names that are ours.
    public func addSockets(_ sockets: [String: @Sendable () -> SocketCounters]) {
        func add(_ name: StaticString, _ help: StaticString, _ count: @escaping @Sendable (SocketCounters) -> Int) {
            counters(name, help, by: "socket") { sockets.mapValues { Double(count($0())) } }
        }
        add("marquee_socket_received_total", "Messages received.") { $0.received }
        add("marquee_socket_sent_total", "Messages given to ZeroMQ, which may still lose them.") { $0.sent }
        add("marquee_socket_refused_total", "What came and was refused: malformed, or no room.") { $0.refused }
        add("marquee_socket_returned_total", "Messages that found no room in the queue to the socket.") { $0.returned }
        add("marquee_socket_dropped_total", "Messages dropped for a peer that does not read.") { $0.dropped }
        add("marquee_socket_unroutable_total", "Answers to peers that have gone.") { $0.unroutable }
        add("marquee_socket_disconnections_total", "Connections that ended.") { $0.disconnections }
        gauges("marquee_socket_connections", "Clients that are connected now.", by: "socket") {
            sockets.mapValues { Double($0().connections) }
        }
    }
}
