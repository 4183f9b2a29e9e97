internal import CLibc
internal import Glibc
public import Locking

/// What a mailbox holds.
public protocol Mail: Sendable {
    /// Whether there is nothing for the reader to do.
    var isEmpty: Bool { get }
}

/// What any thread leaves for one that sleeps in poll(2) or epoll(7), its reader.
///
/// The descriptor, an eventfd(2), is written to only while the reader sleeps, so that a burst costs one system call, and
/// what the reader posts itself costs none.
///
/// See docs/decisions/0050-wakeup-queue.md.
public final class Mailbox<Content: Mail>: Sendable {
    @usableFromInline struct State {
        @usableFromInline var content: Content
        @usableFromInline var isAsleep = false
    }

    /// Becomes readable when mail comes for a sleeping reader.
    public let descriptor: Int32
    @usableFromInline let state: Locked<State>

    /// Makes a mailbox, which fails if the process may not open another descriptor.
    public init(_ content: Content) throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(function: "eventfd", code: errno) }
        state = Locked(State(content: content))
    }

    deinit {
        close(descriptor)
    }

    /// Adds mail, and wakes the reader if it sleeps. From any thread.
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

    /// Takes mail out, for the reader, which is awake.
    @inlinable public func take<Result: Sendable>(_ change: (inout Content) -> Result) -> Result {
        state.withLock { state in
            state.isAsleep = false
            return change(&state.content)
        }
    }

    /// Whether there is nothing for the reader to do.
    @inlinable public var isEmpty: Bool { state.withLock(\.content.isEmpty) }

    /// Whether there is nothing to do, so that the reader may sleep; from then on mail wakes it.
    @inlinable public func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.content.isEmpty
            return state.isAsleep
        }
    }

    /// Makes the descriptor unreadable again, once it was found readable.
    public func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
