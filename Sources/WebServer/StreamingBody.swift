import CMicrohttpd
import Concurrency

/// A body without an end in sight, such as a stream of server-sent events: what is pushed is sent at once.
///
/// It may be pushed to from any thread, before the answer is sent too. It holds what the client has not taken yet; parts
/// that are pushed to many bodies are shared, not copied. Proxies and phones drop connections that are silent, and a
/// client that has gone is noticed only at the next part: push something now and then.
public final class StreamingBody: Sendable {
    fileprivate struct State {
        /// What is to be sent, from `first` on; of that part `offset` bytes are sent.
        var parts: [[UInt8]] = []
        var first = 0
        var offset = 0
        var waiting = 0
        var connection: MHDPointer?
        var isSuspended = false
        var isEnded = false
        /// The server has let go of it: its connection may be another's.
        var isGone = false
    }

    private let limit: Int
    private let whenGone: @Sendable () -> Void
    private let state = Locked(State())

    /// Makes a body that holds at most `limit` bytes for a client that does not read; past them the client is cut off.
    ///
    /// `whenGone` is called once after the last byte, or when the client has gone; it must be quick.
    public init(limit: Int = 1 << 20, whenGone: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.whenGone = whenGone
    }

    /// Sends some more; false if nobody will read it, because the client has gone, did not keep up or the body is ended.
    @discardableResult
    public func push(_ part: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isEnded, !state.isGone else { return false }
            guard state.waiting + part.count <= limit else {
                state.isEnded = true
                cut(&state)
                return false
            }
            if part.isEmpty { return true }
            state.parts.append(part)
            state.waiting += part.count
            resume(&state)
            return true
        }
    }

    /// Ends the body once all is sent.
    public func end() {
        state.withLock { state in
            state.isEnded = true
            resume(&state)
        }
    }

    /// Resumed under the lock, as it is suspended: no part is lost between the look and the sleep.
    private func resume(_ state: inout State) {
        guard state.isSuspended, let connection = state.connection else { return }
        state.isSuspended = false
        MHD_resume_connection(connection.pointer)
    }

    /// Cuts a client off that does not read; MHD sees its end.
    private func cut(_ state: inout State) {
        (state.parts, state.first, state.waiting) = ([], 0, 0)
        guard let connection = state.connection else { return }
        // MHD closes a descriptor only after `release`, which takes the same lock: it is still this client's.
        cutConnection(marquee_descriptor(connection.pointer))
        resume(&state)
    }
}

extension StreamingBody {
    /// Makes MHD's response, which keeps the body alive until it is done with it. MHD's thread only.
    func makeResponse(on connection: OpaquePointer) -> OpaquePointer? {
        let handle = MHDPointer(pointer: connection)
        state.withLock { $0.connection = handle }
        // MHD_SIZE_UNKNOWN is a macro that Swift cannot see.
        return MHD_create_response_from_callback(
            .max, 1 << 10, readOpenBody, Unmanaged.passRetained(self).toOpaque(), releaseOpenBody)
    }

    /// Copies what there is, at most `size` bytes; without any the connection sleeps until there is more.
    fileprivate func read(into buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
        state.withLock { state in
            var count = 0
            while count < size, state.first < state.parts.count {
                let part = state.parts[state.first]
                let piece = part[state.offset...].prefix(size - count)
                UnsafeMutableRawBufferPointer(start: buffer + count, count: piece.count).copyBytes(from: piece)
                count += piece.count
                state.offset += piece.count
                if state.offset == part.count { state.advance() }
            }
            state.waiting -= count
            if count > 0 { return count }
            if state.isEnded { return MHD_CONTENT_READER_END_OF_STREAM }
            guard let connection = state.connection else { return MHD_CONTENT_READER_END_WITH_ERROR }
            state.isSuspended = true
            MHD_suspend_connection(connection.pointer)
            return 0
        }
    }

    fileprivate func release() {
        state.withLock { state in
            state.isGone = true
            state.connection = nil
            (state.parts, state.first, state.waiting) = ([], 0, 0)
        }
        whenGone()
    }
}

extension StreamingBody.State {
    /// Forgets the part that is sent.
    fileprivate mutating func advance() {
        parts[first] = []
        first += 1
        offset = 0
        if first == parts.count { (parts, first) = ([], 0) }
    }
}

private func readOpenBody(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
    return Unmanaged<StreamingBody>.fromOpaque(context).takeUnretainedValue().read(into: buffer, size)
}

private func releaseOpenBody(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<StreamingBody>.fromOpaque(context).takeRetainedValue().release()
}
