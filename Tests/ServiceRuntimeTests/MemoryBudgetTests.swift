import Testing

@testable import ServiceRuntime

@Suite("Memory budget")
struct MemoryBudgetTests {
    @Test("the least limit of the control groups is taken, and a group without one says max")
    func controlGroups() {
        var files = [
            "/proc/self/cgroup": "0::/system/marquee/worker\n", "/sys/fs/cgroup/system/memory.max": "300000000\n",
            "/sys/fs/cgroup/system/marquee/memory.max": "max\n",
            "/sys/fs/cgroup/system/marquee/worker/memory.max": "268435456\n",
        ]
        #expect(MemoryBudget.controlGroupLimit { files[$0] } == 268_435_456)
        files["/sys/fs/cgroup/system/marquee/worker/memory.max"] = "max\n"
        #expect(MemoryBudget.controlGroupLimit { files[$0] } == 300_000_000)
        files["/sys/fs/cgroup/system/memory.max"] = nil
        #expect(MemoryBudget.controlGroupLimit { files[$0] } == nil)
        #expect(
            MemoryBudget.controlGroupLimit { ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "7\n"][$0] }
                == 7)
        #expect(MemoryBudget.controlGroupLimit { _ in nil } == nil)
    }

    @Test(
        "all shares together leave a fifth to the program, and the largest request fits into the compose file's limit")
    func shares() {
        let budget = MemoryBudget(total: 256 << 20)
        let sum = MemoryBudget.Purpose.allCases.reduce(0) { $0 + budget.bytes(for: $1) }
        #expect(sum <= budget.total / 5 * 4)
        #expect(budget.bytes(for: .incompleteMessages) >= 48 << 20)
        #expect(budget.bytes(for: .unreadReplies) >= 24 << 20)
    }
}
