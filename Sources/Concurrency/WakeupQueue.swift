internal import CLibc
internal import Glibc

/// The content of a ``WakeupQueue``.
public protocol WakeupQueueContent {
    /// Whether the reader has nothing to do.
    var isEmpty: Bool { get }
}

extension Array: WakeupQueueContent {}

/// A queue from any thread to one thread, the reader, which sleeps in poll(2) while the queue is empty.
///
/// The reader waits for ``descriptor``, an eventfd(2). It is written to only while the reader sleeps, so a burst costs
/// one system call, and a post by the reader itself costs none. The queue has no limit; callers must keep one.
///
/// The reader calls ``take(_:)``, works, calls ``prepareToSleep()``, and waits only if that returned true. When the
/// descriptor is readable it calls ``clearWakeup()``.
public final class WakeupQueue<Content: WakeupQueueContent & Sendable>: Sendable {
    // Inlinable, as the lock is: a generic of another module that is not specialized for its content costs 20,000
    // instructions for each command that a process answers.
    @usableFromInline struct State {
        @usableFromInline var content: Content
        @usableFromInline var isAsleep = false
    }

    /// Becomes readable when content is posted while the reader sleeps.
    public let descriptor: Int32
    @usableFromInline let state: Locked<State>

    /// Makes a queue.
    public init(_ content: Content) throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(function: "eventfd", code: errno) }
        state = Locked(State(content: content))
    }

    deinit {
        close(descriptor)
    }

    /// Changes the content under the lock, and wakes the reader if it sleeps; returns the result of `change`.
    ///
    /// Any thread may call it. It blocks for no longer than another `change` takes.
    @inlinable public func post<Result: Sendable>(_ change: (inout Content) -> Result) -> Result {
        let (result, mustWake) = state.withLock { state in
            defer { state.isAsleep = false }
            return (change(&state.content), state.isAsleep)
        }
        if mustWake { wake() }
        return result
    }

    @usableFromInline func wake() {
        // Can only fail when the counter is full, and then the descriptor is readable anyway.
        eventfd_write(descriptor, 1)
    }

    /// Removes content under the lock; returns the result of `change`. Only the reader may call it.
    @inlinable public func take<Result: Sendable>(_ change: (inout Content) -> Result) -> Result {
        state.withLock { state in
            state.isAsleep = false
            return change(&state.content)
        }
    }

    /// Whether the reader has nothing to do.
    @inlinable public var isEmpty: Bool { state.withLock(\.content.isEmpty) }

    /// Returns true if the queue is empty, so that the reader may sleep; the next post wakes it. Only the reader may
    /// call it.
    @inlinable public func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.content.isEmpty
            return state.isAsleep
        }
    }

    /// Makes ``descriptor`` unreadable again, after it was readable. Only the reader may call it.
    public func clearWakeup() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
