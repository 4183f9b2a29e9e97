import Glibc
import TestSupport
import Testing

@testable import Concurrency

@Suite struct ThreadTests {
    @Test(.patience)
    func noSignalLandsOnAThread() async throws {
        let before = blockedSignals()
        let within = try await withCheckedThrowingContinuation { continuation in
            do {
                try startThread { continuation.resume(returning: blockedSignals()) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(within.isSuperset(of: [SIGINT, SIGTERM, SIGHUP, SIGPIPE]))
        #expect(blockedSignals() == before)
    }

    @Test func signalsAreBlockedWithinAndNoLonger() {
        let before = blockedSignals()
        let within = withSignalsBlocked { blockedSignals() }
        #expect(within.isSuperset(of: [SIGINT, SIGTERM, SIGHUP, SIGPIPE]))
        #expect(blockedSignals() == before)
    }

    @Test func anErrorSaysWhichCallFailedAndWhy() {
        #expect("\(SystemError(function: "eventfd", code: EMFILE))" == "eventfd: Too many open files (errno 24)")
    }
}

/// The signals that this thread does not get.
private func blockedSignals() -> Set<Int32> {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return Set((1..<32).filter { sigismember(&mask, $0) == 1 })
}
