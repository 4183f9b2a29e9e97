import TestSupport
import Testing

@testable import Concurrency

@Suite struct LockedTests {
    private struct Refused: Error, Equatable {}

    @Test func theResultOfTheBodyComesBackAndTheValueStays() {
        let locked = Locked([1])
        let count = locked.withLock { values in
            values.append(2)
            return values.count
        }
        #expect(count == 2)
        #expect(locked.withLock { $0 } == [1, 2])
    }

    @Test func anErrorOfTheBodyComesBackAndTheLockIsFreeAgain() {
        let locked = Locked(0)
        #expect(throws: Refused()) {
            try locked.withLock { value throws(Refused) in
                value = 1
                throw Refused()
            }
        }
        #expect(locked.withLock { $0 } == 1)
    }

    @Test(.patience)
    func additionsOfManyTasksAreNotLost() async {
        let locked = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { locked.withLock { $0 += 1 } }
                }
            }
        }
        #expect(locked.withLock { $0 } == 80_000)
    }

    @Test func theValueGoesWithTheLock() {
        let isGone = Locked(false)
        do { _ = Locked(Mourned(isGone)) }
        #expect(isGone.withLock { $0 })
    }

    /// A value that says when it goes.
    private final class Mourned {
        private let isGone: Locked<Bool>

        init(_ isGone: Locked<Bool>) {
            self.isGone = isGone
        }

        deinit {
            isGone.withLock { $0 = true }
        }
    }
}
