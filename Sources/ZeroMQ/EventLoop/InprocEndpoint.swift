internal import CZMQ

/// A socket on which libzmq itself speaks to the I/O thread: it asks who may come in, or tells what happens to a socket.
final class InprocEndpoint: PollSource {
    private let handle: SocketHandle
    private let hear: (Message) -> Message?
    var mustLook = true

    /// Opens a socket of a type that nobody outside the thread uses; `hear` gets each message and may answer it.
    init(
        _ type: Int32, named name: String, in context: Context,
        open: (borrowing SocketHandle) throws(ZeroMQError) -> Void,
        hear: @escaping (Message) -> Message?
    ) throws(ZeroMQError) {
        let handle = try SocketHandle.open(type, named: name, settings: Self.settings, context: context.pointer)
        try open(handle)
        self.handle = handle
        self.hear = hear
    }

    // Nothing is ever left unread here, so that libzmq's own threads never wait for this one.
    private static let settings = [
        SocketSetting("ZMQ_LINGER", ZMQ_LINGER, 0),
        SocketSetting("ZMQ_RCVHWM", ZMQ_RCVHWM, 0),
        SocketSetting("ZMQ_SNDHWM", ZMQ_SNDHWM, 0),
    ]

    var descriptor: Int32 { handle.descriptor }

    /// Hears all that there is to hear.
    func look() {
        mustLook = false
        while case .message(let message) = handle.receive(maximumFrames: 16) {
            if let answer = hear(message) { _ = handle.send(answer) }
        }
    }
}
