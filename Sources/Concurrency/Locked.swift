public import Glibc

/// A value that one thread at a time can read or change, inside ``withLock(_:)``.
///
/// It is a pthread mutex on the heap: the thread sanitizer of this toolchain understands it, and reports false races on
/// `Synchronization.Mutex`. It is not recursive. The closure must not block, and must not lock the same value.
///
/// `@unchecked Sendable` is sound: `value` is accessed only in `withLock`, between lock and unlock of one mutex, and the
/// result of the closure is `sending`.
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    /// Makes a lock around `value`.
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

    /// Calls `body` with exclusive access to the value, and returns its result.
    ///
    /// Blocks the calling thread while another thread is inside; keep `body` short.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
