internal import Dispatch
public import Testing

/// A trait that runs each test on its own thread, for tests that compute for seconds.
///
/// It keeps the cooperative pool free for tests with deadlines.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    /// A suite passes the trait on to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs one case of the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(QueueExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// Runs the test on its own thread.
    public static var ownThread: Self { Self() }
}

private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
