/// Who is told what becomes of clients' connections, on the I/O thread.
struct ConnectionObserver: Sendable {
    /// A connection came to nothing.
    let failed: @Sendable (HandshakeFailure) -> Void
    /// A connection was ended from here.
    let cut: @Sendable (DroppedConnection) -> Void
}
