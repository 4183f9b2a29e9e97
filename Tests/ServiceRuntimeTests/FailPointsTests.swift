import Glibc
import ServiceRuntime
import Testing

struct FailPointsTests {
    @Test("the process is killed when it reaches the chosen point for the n-th time")
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

    @Test("the process lives until it has reached the chosen point often enough")
    func lives() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let points = try #require(FailPoints("committed:3"))
            points.reach(.committed)
            points.reach(.committed)
            FailPoint.allCases.forEach(FailPoints.none.reach)
            exit(7)
        }
    }

    @Test("a point is read with or without a number, and other text is refused")
    func reading() {
        #expect(FailPoints("fetched") != nil)
        #expect(FailPoints("fetched:12") != nil)
        for text in ["", "nowhere", "fetched:", "fetched:0", "fetched:-1", "fetched:x", "Fetched"] {
            #expect(FailPoints(text) == nil, "\(text)")
        }
    }
}
