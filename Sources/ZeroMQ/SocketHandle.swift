internal import CZMQ

/// The one owner of a libzmq socket, from zmq_socket(3) to zmq_close(3).
///
/// Stays on the I/O thread. It cannot be had without its options set, so that none comes too late: libzmq ignores
/// what is set after bind or connect.
struct SocketHandle: ~Copyable {
    let socket: UnsafeMutableRawPointer
    /// Where each received frame lands; reused, because libzmq frees the last content itself.
    private let frame: UnsafeMutablePointer<zmq_msg_t>
    private let kind: SocketKind

    private init(_ socket: UnsafeMutableRawPointer, _ kind: SocketKind) {
        self.socket = socket
        self.kind = kind
        frame = .allocate(capacity: 1)
        zmq_msg_init(frame)
    }

    /// Opens a socket with all its options set; `subject` names it in errors.
    static func open(
        _ kind: SocketKind, options: SocketOptions, subject: String, context: UnsafeMutableRawPointer
    ) throws(ZeroMQError) -> SocketHandle {
        guard let socket = zmq_socket(context, kind.type) else {
            throw ZeroMQError("open", subject, code: zmq_errno())
        }
        let handle = SocketHandle(socket, kind)
        for setting in options.settings(for: kind) {
            try handle.set(setting.option, to: setting.value, isWide: setting.isWide, named: setting.name)
        }
        return handle
    }

    deinit {
        zmq_msg_close(frame)
        frame.deallocate()
        // Cannot fail for an open socket; libzmq goes on sending for at most ZMQ_LINGER by itself.
        zmq_close(socket)
    }

    /// zmq_setsockopt(3) for a number.
    func set(_ option: Int32, to value: Int64, isWide: Bool = false, named name: String) throws(ZeroMQError) {
        var wide = value
        var narrow = Int32(clamping: value)
        let status = isWide ? zmq_setsockopt(socket, option, &wide, 8) : zmq_setsockopt(socket, option, &narrow, 4)
        guard status == 0 else { throw ZeroMQError("set \(name) to \(value) on", kind.rawValue, code: zmq_errno()) }
    }

    /// zmq_getsockopt(3) for a number; nothing if libzmq does not tell this option.
    func get(_ option: Int32, isWide: Bool = false) -> Int64? {
        var wide: Int64 = 0
        var narrow: Int32 = 0
        var size = isWide ? 8 : 4
        let status =
            isWide ? zmq_getsockopt(socket, option, &wide, &size) : zmq_getsockopt(socket, option, &narrow, &size)
        guard status == 0 else { return nil }
        return isWide ? wide : Int64(narrow)
    }

    /// ZMQ_SUBSCRIBE: begins to receive the messages whose first frame begins with `prefix`.
    func subscribe(to prefix: String) throws(ZeroMQError) {
        let bytes = Array(prefix.utf8)
        guard zmq_setsockopt(socket, ZMQ_SUBSCRIBE, bytes, bytes.count) == 0 else {
            throw ZeroMQError("subscribe to", prefix, code: zmq_errno())
        }
    }

    /// zmq_bind(3); returns the address with its real port.
    func bind(to address: String) throws(ZeroMQError) -> String {
        guard zmq_bind(socket, address) == 0 else { throw ZeroMQError("bind", address, code: zmq_errno()) }
        var size = 256
        let endpoint = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            let status = zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bytes.baseAddress, &size)
            count = status == 0 ? max(0, size - 1) : 0  // without the terminating zero
        }
        return String(decoding: endpoint, as: UTF8.self)
    }

    /// zmq_connect(3).
    func connect(to address: String) throws(ZeroMQError) {
        guard zmq_connect(socket, address) == 0 else { throw ZeroMQError("connect", address, code: zmq_errno()) }
    }
}

extension SocketHandle {
    enum Reception {
        case message(Message)
        /// A message with too many frames; it is gone.
        case refused
        case nothing
    }

    enum Transmission {
        case sent
        /// The peer's queue, or that of every peer, stands at the high-water mark.
        case full
        /// No peer has the routing id.
        case unroutable
    }

    /// Receives one message, if there is one, with zmq_msg_recv(3).
    func receive(maximumFrames: Int) -> Reception {
        guard nextFrame() else { return .nothing }
        var frames: [[UInt8]] = []
        frames.append(takeFrame())
        // A message arrives whole, so its later frames are there without waiting.
        while zmq_msg_more(frame) != 0 {
            guard nextFrame() else { return .refused }
            guard frames.count < maximumFrames else {
                drain()
                return .refused
            }
            frames.append(takeFrame())
        }
        return .message(Message(frames))
    }

    /// Sends one message, whole or not at all, with zmq_send(3).
    ///
    /// A sending socket looks at its peers' news (credits, subscriptions) only now and then, so before it gives up it is
    /// made to: reading ZMQ_EVENTS does that.
    func send(_ message: Message) -> Transmission {
        let first = attempt(message)
        guard first == .full else { return first }
        _ = get(ZMQ_EVENTS)
        return attempt(message)
    }

    private func attempt(_ message: Message) -> Transmission {
        var result = Transmission.sent
        let last = message.frames.count - 1
        for (index, bytes) in message.frames.enumerated() {
            let flags = ZMQ_DONTWAIT | (index < last ? ZMQ_SNDMORE : 0)
            switch retrying({ zmq_send(socket, bytes, bytes.count, flags) }) {
            case nil:
                continue
            case EAGAIN:
                result = .full
            case EHOSTUNREACH:
                result = .unroutable
            case let code?:
                preconditionFailure("zmq_send: \(String(cString: zmq_strerror(code)))")
            }
            // The peer went away in mid-message: libzmq took back what it had, and swallows the rest, which it must get.
            if index == 0 { return result }
        }
        return result
    }

    private func nextFrame() -> Bool {
        switch retrying({ zmq_msg_recv(frame, socket, ZMQ_DONTWAIT) }) {
        case nil: true
        case EAGAIN: false
        case let code?: preconditionFailure("zmq_msg_recv: \(String(cString: zmq_strerror(code)))")
        }
    }

    private func takeFrame() -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame)))
    }

    private func drain() {
        while zmq_msg_more(frame) != 0, nextFrame() {}
    }

    /// The error number of a call that returned -1, if any; a call that a signal broke off is made again.
    private func retrying(_ call: () -> Int32) -> Int32? {
        while call() < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return nil
    }
}
