internal import Dispatch
public import Testing

/// Runs each test that computes for seconds on a thread of its own.
///
/// The few threads that tasks share are left to the tests that wait for an answer in time.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    /// Of a suite it is each test's trait.
    public var isRecursive: Bool { true }

    /// Runs one case of the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(QueueExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// On a thread of its own.
    public static var ownThread: Self { Self() }
}

private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
