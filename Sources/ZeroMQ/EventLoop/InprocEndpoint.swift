internal import CZMQ

/// A socket on which libzmq itself talks to the I/O thread: the requests of ZAP, and the events of a monitored socket.
final class InprocEndpoint: PollSource {
    // Without limits, so that libzmq's own threads never wait for this one.
    private static let settings = [
        SocketSetting(ZMQ_LINGER, 0),
        SocketSetting(ZMQ_RCVHWM, 0),
        SocketSetting(ZMQ_SNDHWM, 0),
    ]

    private let handle: SocketHandle
    private let onMessage: (Message) -> Message?
    private let onEmpty: () -> Void
    var needsPoll = true

    /// Opens a socket of a libzmq type that only the I/O thread uses.
    ///
    /// - Parameters:
    ///   - attach: Binds or connects the socket.
    ///   - onMessage: Called with each message; the message it returns is sent as the reply.
    ///   - onEmpty: Called when all messages that have arrived were handled.
    init(
        _ type: Int32, named name: String, in context: Context,
        attach: (borrowing SocketHandle) throws(ZeroMQError) -> Void,
        onMessage: @escaping (Message) -> Message?,
        onEmpty: @escaping () -> Void = {}
    ) throws(ZeroMQError) {
        let handle = try SocketHandle.open(type, named: name, settings: Self.settings, context: context.pointer)
        try attach(handle)
        self.handle = handle
        self.onMessage = onMessage
        self.onEmpty = onEmpty
    }

    var descriptor: Int32 { handle.descriptor }

    /// Handles all messages that have arrived.
    func poll() {
        needsPoll = false
        while case .message(let message) = handle.receive(maximumFrames: 16) {
            if let reply = onMessage(message) { _ = handle.send(reply) }
        }
        onEmpty()
    }
}
