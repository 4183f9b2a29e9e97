import CMicrohttpd
import Concurrency

/// A body of unknown length, such as a stream of server-sent events. Each pushed part is sent at once.
///
/// Parts can be pushed from any thread, also before the response is sent. The body holds what the client has not read;
/// parts pushed to many bodies are shared, not copied. Push a part at intervals: proxies and phones drop silent
/// connections, and a disconnected client is detected only when the next part is sent.
public final class StreamingBody: Sendable {
    fileprivate struct State {
        /// The unsent parts; `offset` bytes of the first are sent.
        var parts: [[UInt8]] = []
        var offset = 0
        var unsentCount = 0
        var connection: MHDPointer?
        var isSuspended = false
        var isEnded = false
        /// MHD has released the body; its connection may serve another request.
        var isReleased = false
    }

    private let limit: Int
    private let onClose: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates a body. A client that leaves more than `limit` bytes unread is disconnected. `onClose`, called once at the
    /// end, must not block.
    public init(limit: Int = 1 << 20, onClose: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.onClose = onClose
    }

    /// Sends parts in order; false if the client has disconnected or fallen behind, or the body has ended.
    @discardableResult
    public func push(_ parts: [[UInt8]]) -> Bool {
        let count = parts.reduce(0) { $0 + $1.count }
        return state.withLock { state in
            guard !state.isEnded, !state.isReleased else { return false }
            guard state.unsentCount + count <= limit else {
                state.isEnded = true
                disconnect(&state)
                return false
            }
            if count == 0 { return true }
            state.parts += parts.filter { !$0.isEmpty }
            state.unsentCount += count
            resume(&state)
            return true
        }
    }

    /// Ends the body after the parts already pushed.
    public func end() {
        state.withLock { state in
            state.isEnded = true
            resume(&state)
        }
    }

    /// Resumes the connection under the lock that suspends it, so that no wakeup is lost.
    private func resume(_ state: inout State) {
        guard state.isSuspended, let connection = state.connection else { return }
        state.isSuspended = false
        MHD_resume_connection(connection.pointer)
    }

    private func disconnect(_ state: inout State) {
        (state.parts, state.unsentCount) = ([], 0)
        guard let connection = state.connection else { return }
        // MHD closes a descriptor only after `release`, which takes the same lock: the descriptor still belongs to this
        // client.
        shutDownSocket(marquee_descriptor(connection.pointer))
        resume(&state)
    }
}

extension StreamingBody {
    /// Creates MHD's response, which retains the body until MHD releases it. Called on MHD's thread only.
    func makeResponse(on connection: OpaquePointer) -> OpaquePointer? {
        let handle = MHDPointer(pointer: connection)
        state.withLock { $0.connection = handle }
        // Streams are many and last, and their parts are small.
        ListeningSocket.setSendBuffer(16 << 10, on: marquee_descriptor(connection))
        // MHD_SIZE_UNKNOWN is a macro that Swift cannot see.
        return MHD_create_response_from_callback(
            .max, 1 << 10, readStreamingBody, Unmanaged.passRetained(self).toOpaque(), releaseStreamingBody)
    }

    /// Copies at most `size` unsent bytes to `buffer` and returns their number; suspends the connection if there are
    /// none.
    fileprivate func read(into buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
        state.withLock { state in
            var count = 0
            while count < size, let part = state.parts.first {
                let piece = part[state.offset...].prefix(size - count)
                UnsafeMutableRawBufferPointer(start: buffer + count, count: piece.count).copyBytes(from: piece)
                count += piece.count
                state.offset += piece.count
                guard state.offset == part.count else { break }
                state.parts.removeFirst()
                state.offset = 0
            }
            state.unsentCount -= count
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
            state.isReleased = true
            state.connection = nil
            (state.parts, state.unsentCount) = ([], 0)
        }
        onClose()
    }
}

private func readStreamingBody(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
    return Unmanaged<StreamingBody>.fromOpaque(context).takeUnretainedValue().read(into: buffer, size)
}

private func releaseStreamingBody(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<StreamingBody>.fromOpaque(context).takeRetainedValue().release()
}
