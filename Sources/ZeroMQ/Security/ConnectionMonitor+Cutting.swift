// Who would fill the memory is cut.
extension ConnectionMonitor {
    /// How long the connections are not looked at: a fiftieth of the time is for looking, within limits. What comes meanwhile
    /// comes on top of what a client may send.
    static let pauses = Duration.milliseconds(100)...Duration.seconds(1)
    private static let share = 50

    /// When the connections are to be looked at next, if there are any.
    var nextLook: Duration? { connections.isEmpty ? nil : lastLook + pause }

    /// Whether everybody has been heard who had sent a whole message when the connections were looked at: libzmq takes one of
    /// each in turn.
    var hasHeardAll: Bool { unheard <= 0 }

    /// A message has come over the connection with the descriptor, at a router with the routing id.
    func hear(from descriptor: Int32, as route: [UInt8]?) {
        connections[descriptor]?.hear(as: route)
        unheard -= 1
    }

    /// Looks at all connections, and cuts those that have sent too much without an end, or left too much unread.
    func look(at now: Duration) {
        for connection in connections.values { connection.look(after: now - lastLook) }
        pause = max(Self.pauses.lowerBound, min((.uptime - now) * Self.share, Self.pauses.upperBound))
        lastLook = now
        unheard = connections.count
        for connection in connections.values where connection.unfinished > options.maximumMessageBytes {
            cut(connection, .endless)
        }
        cutLargest(.endless, over: options.unfinishedBytes) { $0.unfinished }
        guard let unread, unread.total > options.unreadBytes else { return }
        cutLargest(.unread, over: options.unreadBytes) { unread.bytes(of: $0.route) }
    }

    /// Cuts those who have most of something, until all together have no more of it than there is room for.
    private func cutLargest(_ reason: DroppedConnection.Reason, over limit: Int, by size: (PeerConnection) -> Int) {
        let connections = connections.values.filter { !$0.isOver }
        var excess = connections.reduce(-limit) { $0 + size($1) }
        guard excess > 0 else { return }
        for connection in connections.sorted(by: { size($0) > size($1) }) where excess > 0 {
            excess -= size(connection)
            cut(connection, reason)
        }
    }

    private func cut(_ connection: PeerConnection, _ reason: DroppedConnection.Reason) {
        guard !connection.isOver, connection.cut() else { return }
        news.cut(DroppedConnection(socket: kind, address: connection.address, reason: reason))
    }
}
