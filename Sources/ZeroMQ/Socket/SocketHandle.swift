internal import CZMQ

/// The one owner of a libzmq socket, from zmq_socket(3) to zmq_close(3).
///
/// Stays on the I/O thread. It cannot be had without its options set, so that none comes too late: libzmq ignores
/// what is set after bind or connect.
struct SocketHandle: ~Copyable {
    let socket: UnsafeMutableRawPointer
    /// Becomes readable when there is news of the socket, until libzmq takes it in (ZMQ_FD).
    let descriptor: Int32
    /// Where each received frame lands; reused, because libzmq frees the last content itself.
    let frame: UnsafeMutablePointer<zmq_msg_t>
    private let name: String

    private init(_ socket: UnsafeMutableRawPointer, _ name: String) {
        self.socket = socket
        self.name = name
        frame = .allocate(capacity: 1)
        zmq_msg_init(frame)
        descriptor = Self.value(of: ZMQ_FD, socket)
    }

    /// Opens a socket of a libzmq type with all its options set; `name` is what errors call it.
    static func open(
        _ type: Int32, named name: String, settings: [SocketSetting], context: UnsafeMutableRawPointer
    ) throws(ZeroMQError) -> SocketHandle {
        guard let socket = zmq_socket(context, type) else { throw ZeroMQError("open", name, code: zmq_errno()) }
        let handle = SocketHandle(socket, name)
        for setting in settings { handle.set(setting) }
        return handle
    }

    deinit {
        zmq_msg_close(frame)
        frame.deallocate()
        // Cannot fail for an open socket; libzmq goes on sending for at most ZMQ_LINGER by itself.
        zmq_close(socket)
    }

    /// zmq_setsockopt(3); a value that libzmq does not take is a mistake of ours.
    func set(_ setting: SocketSetting) {
        if let bytes = setting.bytes {
            let status = zmq_setsockopt(socket, setting.option, bytes, bytes.count)
            return precondition(status == 0, "zmq_setsockopt does not take what was given for \(setting.name)")
        }
        var wide = setting.value
        var narrow = Int32(clamping: setting.value)
        let status =
            setting.isWide
            ? zmq_setsockopt(socket, setting.option, &wide, 8) : zmq_setsockopt(socket, setting.option, &narrow, 4)
        precondition(status == 0, "zmq_setsockopt does not take \(setting.value) for \(setting.name)")
    }

    /// zmq_getsockopt(3); nothing if libzmq does not tell this option.
    func value(of setting: SocketSetting) -> Int64? {
        var wide: Int64 = 0
        var narrow: Int32 = 0
        var size = setting.isWide ? 8 : 4
        let status =
            setting.isWide
            ? zmq_getsockopt(socket, setting.option, &wide, &size)
            : zmq_getsockopt(socket, setting.option, &narrow, &size)
        guard status == 0 else { return nil }
        return setting.isWide ? wide : Int64(narrow)
    }

    /// Has libzmq take in the news, and returns what can be done without waiting, ZMQ_POLLIN and ZMQ_POLLOUT (ZMQ_EVENTS).
    func takeInNews() -> Int32 {
        Self.value(of: ZMQ_EVENTS, socket)
    }

    /// zmq_getsockopt(3), of an option that every socket has.
    private static func value(of option: Int32, _ socket: UnsafeMutableRawPointer) -> Int32 {
        var value: Int32 = 0
        var size = 4
        while zmq_getsockopt(socket, option, &value, &size) != 0 {
            let code = zmq_errno()
            precondition(code == EINTR, "zmq_getsockopt: \(String(cString: zmq_strerror(code)))")
        }
        return value
    }

    /// ZMQ_SUBSCRIBE: begins to receive the messages whose first frame begins with `prefix`.
    func subscribe(to prefix: String) {
        let bytes = Array(prefix.utf8)
        let status = zmq_setsockopt(socket, ZMQ_SUBSCRIBE, bytes, bytes.count)
        precondition(status == 0, "zmq_setsockopt does not take a subscription on \(name)")
    }

    /// zmq_socket_monitor(3): has libzmq tell on an `inproc` address what happens to the socket's connections.
    func monitor(_ events: Int32, at address: String) throws(ZeroMQError) {
        guard zmq_socket_monitor(socket, address, events) == 0 else {
            throw ZeroMQError("monitor", name, code: zmq_errno())
        }
    }

    /// Ends what `monitor` began.
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

    /// zmq_connect(3).
    func connect(to address: String) throws(ZeroMQError) {
        guard zmq_connect(socket, address) == 0 else { throw ZeroMQError("connect", address, code: zmq_errno()) }
    }
}
