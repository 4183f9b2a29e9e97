internal import CZMQ

/// The one owner of a libzmq socket, from zmq_socket(3) to zmq_close(3).
///
/// Only the I/O thread uses it. All options are set when it is opened, because libzmq ignores most options that are set
/// after bind or connect. A call that can fail only because of a bug here ends the process with the name of the function.
struct SocketHandle: ~Copyable {
    let socket: UnsafeMutableRawPointer
    /// Becomes readable when the socket has an event, until libzmq reads the events (ZMQ_FD).
    let descriptor: Int32
    /// The received frame; reused for each one, because libzmq frees the previous content itself.
    let frame: UnsafeMutablePointer<zmq_msg_t>
    private let name: String

    /// Opens a socket of a libzmq type and sets its options; errors contain `name`.
    init(
        _ type: Int32, named name: String, settings: [SocketSetting], context: UnsafeMutableRawPointer
    ) throws(ZeroMQError) {
        guard let socket = zmq_socket(context, type) else { throw ZeroMQError("open", name, code: zmq_errno()) }
        self.socket = socket
        self.name = name
        frame = .allocate(capacity: 1)
        zmq_msg_init(frame)
        descriptor = Self.value(of: ZMQ_FD, socket)
        for setting in settings { set(setting) }
    }

    deinit {
        zmq_msg_close(frame)
        frame.deallocate()
        // Cannot fail for an open socket. libzmq goes on sending for at most ZMQ_LINGER.
        zmq_close(socket)
    }

    // MARK: - Options

    func set(_ setting: SocketSetting) {
        let status = zmq_setsockopt(socket, setting.option, setting.bytes, setting.bytes.count)
        precondition(status == 0, "zmq_setsockopt rejects the value of the option \(setting.option)")
    }

    /// Reads the events and returns what is possible without waiting, ZMQ_POLLIN and ZMQ_POLLOUT (ZMQ_EVENTS).
    func refreshEvents() -> Int32 {
        Self.value(of: ZMQ_EVENTS, socket)
    }

    private static func value(of option: Int32, _ socket: UnsafeMutableRawPointer) -> Int32 {
        var value: Int32 = 0
        var size = 4
        while zmq_getsockopt(socket, option, &value, &size) != 0 {
            let code = zmq_errno()
            precondition(code == EINTR, "zmq_getsockopt: \(String(cString: zmq_strerror(code)))")
        }
        return value
    }

    // MARK: - Connections

    /// Makes libzmq send the events of the socket's connections to an `inproc` address, with zmq_socket_monitor(3).
    func monitor(_ events: Int32, at address: String) throws(ZeroMQError) {
        guard zmq_socket_monitor(socket, address, events) == 0 else {
            throw ZeroMQError("monitor", name, code: zmq_errno())
        }
    }

    func endMonitor() {
        zmq_socket_monitor(socket, nil, 0)
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

    func connect(to address: String) throws(ZeroMQError) {
        guard zmq_connect(socket, address) == 0 else { throw ZeroMQError("connect", address, code: zmq_errno()) }
    }

    // MARK: - Receiving

    enum ReceiveResult {
        case message(Message)
        /// A message was received and discarded.
        case discarded
        case nothing
    }

    /// Receives one message, if there is one, with zmq_msg_recv(3); one with more frames or bytes is truncated.
    func receive(maximumFrames: Int, maximumBytes: Int = .max, identifiesPeer: Bool = false) -> ReceiveResult {
        guard receiveFrame() else { return .nothing }
        var frames: [[UInt8]] = []
        frames.reserveCapacity(4)  // a routing id, an empty frame, a name and a body: as many as most have
        var truncation: Message.Truncation?
        frames.append(copyFrame())
        var byteCount = 0
        // libzmq delivers a message whole, so its later frames are there already.
        while zmq_msg_more(frame) != 0 {
            guard receiveFrame() else { return .discarded }
            byteCount += zmq_msg_size(frame)
            guard frames.count < maximumFrames, byteCount <= maximumBytes else {
                discardFrames()
                truncation = .tooManyFrames
                break
            }
            frames.append(copyFrame())
        }
        // The identity of the last frame, because a router makes the first one itself.
        var message = Message(frames, peer: identifiesPeer ? peerIdentity() : nil)
        message.truncation = truncation
        return .message(message)
    }

    func discardMessage() -> Bool {
        guard receiveFrame() else { return false }
        discardFrames()
        return true
    }

    private func receiveFrame() -> Bool {
        switch retrying({ zmq_msg_recv(frame, socket, ZMQ_DONTWAIT) }) {
        case nil: true
        case EAGAIN: false
        case let code?: preconditionFailure("zmq_msg_recv: \(String(cString: zmq_strerror(code)))")
        }
    }

    /// The descriptor of the connection over which the last frame was received (ZMQ_SRCFD); -1 if there is none.
    var connectionDescriptor: Int32 { zmq_msg_get(frame, ZMQ_SRCFD) }

    /// Returns the identity of the peer that sent the last frame, from zmq_msg_gets(3).
    private func peerIdentity() -> PeerIdentity {
        func property(_ name: String) -> String? { zmq_msg_gets(frame, name).map { String(cString: $0) } }
        // For `ipc`, libzmq reports `localhost:uid:gid:pid`, which differs for each process of one client.
        let address = property("Peer-Address").flatMap { $0.hasPrefix("localhost:") ? nil : $0 }
        return PeerIdentity(address: address ?? "", name: property("User-Id"))
    }

    private func copyFrame() -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame)))
    }

    private func discardFrames() {
        while zmq_msg_more(frame) != 0, receiveFrame() {}
    }

    // MARK: - Sending

    enum SendResult {
        case sent
        /// The queue of the peer, or of every peer, is at the high-water mark.
        case full
        case unroutable
    }

    /// Sends one message, whole or not at all. Large frames are not copied.
    func send(_ message: Message) -> SendResult {
        let first = trySend(message)
        guard first == .full else { return first }
        // A sending socket reads its peers' credits and subscriptions only now and then, so read them before giving up.
        _ = refreshEvents()
        return trySend(message)
    }

    private func trySend(_ message: Message) -> SendResult {
        var result = SendResult.sent
        let last = message.frames.count - 1
        for index in message.frames.indices {
            let bytes = message.frames[index]
            let flags = ZMQ_DONTWAIT | (index < last ? ZMQ_SNDMORE : 0)
            // libzmq releases the last frame last, so it holds the reservation.
            let reservation = index == last ? message.reservation : nil
            let code = retrying {
                bytes.count < ZeroCopyFrame.minimumBytes && reservation == nil
                    ? zmq_send(socket, bytes, bytes.count, flags)
                    : sendWithoutCopy(ZeroCopyFrame(bytes, reservation), flags)
            }
            switch code {
            case nil:
                continue
            case EAGAIN:
                result = .full
            case EHOSTUNREACH:
                result = .unroutable
            case let code?:
                preconditionFailure("zmq_send: \(String(cString: zmq_strerror(code)))")
            }
            // If the peer leaves in the middle of a message, libzmq drops what it has but still expects the other frames.
            if index == 0 { return result }
        }
        return result
    }

    /// Sends a frame with zmq_msg_init_data(3) and zmq_msg_send(3); libzmq releases it once it is closed or sent.
    private func sendWithoutCopy(_ frame: ZeroCopyFrame, _ flags: Int32) -> Int32 {
        var message = zmq_msg_t()
        let made = frame.bytes.withUnsafeBytes { bytes in
            zmq_msg_init_data(
                &message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count,
                { _, frame in if let frame { Unmanaged<ZeroCopyFrame>.fromOpaque(frame).release() } },
                Unmanaged.passRetained(frame).toOpaque())
        }
        precondition(made == 0, "zmq_msg_init_data: out of memory")
        let status = zmq_msg_send(&message, socket, flags)
        if status < 0 { zmq_msg_close(&message) }
        return status
    }

    /// Repeats a call while a signal interrupts it; returns its error number, or nil if it succeeded.
    private func retrying(_ call: () -> Int32) -> Int32? {
        while call() < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return nil
    }
}

/// Bytes that libzmq reads in place until it releases them, on a thread of its own.
///
/// A message for fifty slow subscribers is thus in memory once. The address is stable: the elements of an array move only
/// when the array is changed, and this one is a constant.
///
/// Copies of queued messages, and memory that another thread frees, took more time and memory than the sending itself.
final class ZeroCopyFrame: Sendable {
    /// The smallest frame that is not copied, in bytes.
    // Smaller frames are faster to copy: libzmq adds 40 bytes, and up to 120 bytes are freed without a lock. Above
    // `M_MXFAST` of mallopt(3), the thread that allocates and libzmq's that frees lock the same arena for each message.
    static let minimumBytes = 81

    let bytes: [UInt8]
    private let reservation: UnreadBytes.Reservation?

    init(_ bytes: [UInt8], _ reservation: UnreadBytes.Reservation?) {
        self.bytes = bytes
        self.reservation = reservation
    }
}
