public import Glibc

/// A value that only one thread at a time may touch.
///
/// A pthread mutex on the heap: the thread sanitizer of this toolchain knows it, and reports false races on
/// `Synchronization.Mutex`. Not recursive; never hold it across a call that may block or come back.
///
/// `@unchecked Sendable` is sound because `value` is read and written inside `withLock` alone, between lock and unlock
/// of one mutex, and what leaves the closure is `sending`.
///
/// See docs/decisions/0001-lock-implementation.md.
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    /// Makes a lock that guards `value`.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread can, and returns what it returns.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
