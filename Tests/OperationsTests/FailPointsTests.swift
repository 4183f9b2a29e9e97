import Glibc
import Operations
import Testing

struct FailPointsTests {
    @Test("the process is killed at the chosen step, the n-th time it comes there")
    func kills() async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let points = try #require(FailPoints("committed:3"))
            points.reach(.committed)
            points.reach(.published)
            points.reach(.committed)
            points.reach(.committed)
            exit(0)
        }
    }

    @Test("the process lives as long as the chosen step has not come often enough")
    func lives() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let points = try #require(FailPoints("committed:3"))
            points.reach(.committed)
            points.reach(.committed)
            FailPoint.allCases.forEach(FailPoints.none.reach)
            exit(7)
        }
    }

    @Test("a step is read with its number or without, and what is neither is refused")
    func reading() {
        #expect(FailPoints("fetched") != nil)
        #expect(FailPoints("fetched:12") != nil)
        for text in ["", "nowhere", "fetched:", "fetched:0", "fetched:-1", "fetched:x", "Fetched"] {
            #expect(FailPoints(text) == nil, "\(text)")
        }
    }
}
