extension Socket {
    /// What the socket receives, in batches of what there is, up to a thousand.
    ///
    /// Bounded by `inboxBytes`: what comes when it is full is refused and counted; a router still hands on the beginnings
    /// (`Message.cut`), in their order, so that they can be answered, however many one peer sends, until those of many have
    /// filled it a second time. Iterate it once; several iterations share the messages.
    /// It ends when the socket is closed and all that was received is taken, or when the iterating task is cancelled. For
    /// a publisher it only ends: see `waitForSubscribers(to:count:)`.
    public var incoming: some AsyncSequence<[Message], Never> & Sendable {
        Batches(socket: self)
    }

    private struct Batches: AsyncSequence, AsyncIteratorProtocol, Sendable {
        /// Kept, so that a socket stays open as long as somebody iterates.
        let socket: Socket

        func makeAsyncIterator() -> Batches { self }

        func next(isolation actor: isolated (any Actor)?) async -> [Message]? {
            await socket.exchange.inbox.next()
        }
    }
}
