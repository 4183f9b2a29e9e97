internal import CZMQ

extension SocketHandle {
    enum Reception {
        case message(Message)
        /// The end of a message did not come; it is gone.
        case broken
        case nothing
    }

    enum Transmission {
        case sent
        /// The peer's queue, or that of every peer, stands at the high-water mark.
        case full
        /// No peer has the routing id.
        case unroutable
    }

    /// Receives one message, if there is one, with zmq_msg_recv(3); of one with too many frames, the first ones.
    func receive(maximumFrames: Int, tellsSender: Bool = false) -> Reception {
        guard nextFrame() else { return .nothing }
        var frames: [[UInt8]] = []
        var cut: Message.Cut?
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

    /// Sends one message, whole or not at all, with zmq_send(3).
    ///
    /// A sending socket looks at its peers' news (credits, subscriptions) only now and then, so before it gives up it is
    /// made to: reading ZMQ_EVENTS does that.
    func send(_ message: Message) -> Transmission {
        let first = attempt(message)
        guard first == .full else { return first }
        noticePeers()
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

    private func noticePeers() {
        var events: Int32 = 0
        var size = 4
        zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size)
    }

    private func nextFrame() -> Bool {
        switch retrying({ zmq_msg_recv(frame, socket, ZMQ_DONTWAIT) }) {
        case nil: true
        case EAGAIN: false
        case let code?: preconditionFailure("zmq_msg_recv: \(String(cString: zmq_strerror(code)))")
        }
    }

    /// What libzmq knows of the sender of the frame in hand, by zmq_msg_gets(3).
    private func sender() -> Sender {
        func property(_ name: String) -> String? { zmq_msg_gets(frame, name).map { String(cString: $0) } }
        // For a client that came over `ipc` libzmq says `localhost:uid:gid:pid`, which is different each time.
        let address = property("Peer-Address").flatMap { $0.hasPrefix("localhost:") ? nil : $0 }
        return Sender(address: address ?? "", name: property("User-Id"))
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
