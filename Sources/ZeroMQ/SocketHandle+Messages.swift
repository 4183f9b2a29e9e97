internal import CZMQ

extension SocketHandle {
    enum ReceiveResult {
        case message(Message)
        /// The end of a message did not come; it is gone.
        case broken
        case nothing
    }

    enum SendResult {
        case sent
        /// The peer's queue, or that of every peer, stands at the high-water mark.
        case full
        /// No peer has the routing id.
        case unroutable
    }

    /// Receives one message, if there is one, with zmq_msg_recv(3); of one with too many frames, the first ones.
    func receive(maximumFrames: Int, tellsSender: Bool = false) -> ReceiveResult {
        guard nextFrame() else { return .nothing }
        var frames: [[UInt8]] = []
        frames.reserveCapacity(4)  // a routing id, an empty frame, a name and a body: as many as most have
        var cut: Message.Truncation?
        frames.append(takeFrame())
        // A message arrives whole, so its later frames are there without waiting.
        while zmq_msg_more(frame) != 0 {
            guard nextFrame() else { return .broken }
            guard frames.count < maximumFrames else {
                drain()
                cut = .tooManyFrames
                break
            }
            frames.append(takeFrame())
        }
        // Of the last frame, because a router makes the first one itself.
        var message = Message(frames, sender: tellsSender ? sender() : nil)
        message.cut = cut
        return .message(message)
    }

    /// Receives one message and forgets it; false if there is none.
    func discard() -> Bool {
        guard nextFrame() else { return false }
        drain()
        return true
    }

    /// Sends one message, whole or not at all, with zmq_send(3); all but small frames are lent, not copied.
    ///
    /// A sending socket takes in its peers' news (credits, subscriptions) only now and then, so before it gives up it is
    /// made to.
    func send(_ message: Message) -> SendResult {
        let first = attempt(message)
        guard first == .full else { return first }
        _ = takeInNews()
        return attempt(message)
    }

    private func attempt(_ message: Message) -> SendResult {
        var result = SendResult.sent
        let last = message.frames.count - 1
        for index in message.frames.indices {
            let bytes = message.frames[index]
            let flags = ZMQ_DONTWAIT | (index < last ? ZMQ_SNDMORE : 0)
            // The last frame leaves last, so the charge goes with it.
            let charge = index == last ? message.charge : nil
            let isLent = bytes.count >= ZeroCopyFrame.leastBytes || charge != nil
            switch retrying({ isLent ? lend(bytes, charge, flags) : zmq_send(socket, bytes, bytes.count, flags) }) {
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

    /// Sends a frame that libzmq reads where it is, with zmq_msg_send(3).
    private func lend(_ bytes: [UInt8], _ charge: UnreadByteAccounting.Reservation?, _ flags: Int32) -> Int32 {
        var message = ZeroCopyFrame.message(of: bytes, charge: charge)
        let status = zmq_msg_send(&message, socket, flags)
        if status < 0 { zmq_msg_close(&message) }
        return status
    }

    private func nextFrame() -> Bool {
        switch retrying({ zmq_msg_recv(frame, socket, ZMQ_DONTWAIT) }) {
        case nil: true
        case EAGAIN: false
        case let code?: preconditionFailure("zmq_msg_recv: \(String(cString: zmq_strerror(code)))")
        }
    }

    /// The descriptor of the connection that the frame in hand came over (ZMQ_SRCFD); -1 if there is none.
    var source: Int32 { zmq_msg_get(frame, ZMQ_SRCFD) }

    /// What libzmq knows of the sender of the frame in hand, by zmq_msg_gets(3).
    private func sender() -> PeerIdentity {
        func property(_ name: String) -> String? { zmq_msg_gets(frame, name).map { String(cString: $0) } }
        // For a client that came over `ipc` libzmq says `localhost:uid:gid:pid`, which is different each time.
        let address = property("Peer-Address").flatMap { $0.hasPrefix("localhost:") ? nil : $0 }
        return PeerIdentity(address: address ?? "", name: property("User-Id"))
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
