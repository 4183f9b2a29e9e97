import JSONCoding
import Testing

@testable import Sandbox

struct FaultsTests {
    @Test("each switch has one name and one range")
    func switches() throws {
        var faults = Faults()
        for assignment in [
            "kobis.latency=20", "kobis.errors.503=0.25", "kobis.faults.320011=1", "kakao.faults.-10=0.5",
            "images.dead=1", "kakao.retryAfter=3", "kobis.quota=3000", "kobis.times=2", "seed=9", "clockOffset=-60",
        ] {
            try faults.set(assignment)
        }
        let kobis = ["latency": 20, "errors.503": 0.25, "faults.320011": 1, "quota": 3000, "times": 2]
        #expect(faults[.kobis].values == kobis && faults[.kobis].number(.times) == 2)
        #expect(faults[.kakao].values == ["faults.-10": 0.5, "retryAfter": 3] && faults[.images].values == ["dead": 1])
        #expect(faults.seed == 9 && faults.clockOffset == -60)
        var again = Faults()
        try again.set(json: faults.object.json)
        #expect(again == faults)
    }

    @Test(
        "an invalid switch or value is rejected",
        arguments: [
            "kobis.latency", "kobis.latency=soon", "kobis.latency=-1", "kobis.slowness=1", "kobis.notice=1.5",
            "kobis.errors.200=1", "kobis.errors=1", "worker.latency=1", "kobis=1", "kobis.dead=1", "images.quota=1",
            "images.faults.-10=1", "seed=0.5", "=1", "",
        ])
    func rejections(assignment: String) {
        var faults = Faults()
        #expect(throws: SandboxError.self) { try faults.set(assignment) }
        #expect(faults == Faults())
    }

    @Test("a rate affects its part of the requests, the same ones in every run")
    func rates() {
        let faultProfile = FaultProfile(values: ["errors.500": 0.1, "errors.503": 0.2, "notice": 0.05])
        func faults(_ seed: UInt64) -> [FaultProfile.InjectedFault?] {
            (1...2000).map { faultProfile.injectedFault(for: $0, random: SeededRandom(seed: seed)) }
        }
        #expect(faults(1) == faults(1))
        #expect(faults(1) != faults(2))
        #expect((140...240).contains(faults(1).count { $0 == .status(500) }))
        #expect((310...450).contains(faults(1).count { $0 == .status(503) }))
        #expect((60...145).contains(faults(1).count { $0 == .notice }))
    }

    @Test("`times` ends a fault after this number of requests")
    func times() {
        let faultProfile = FaultProfile(values: ["errors.503": 1, "times": 2])
        let injectedFaults = (1...4).map { faultProfile.injectedFault(for: $0, random: SeededRandom(seed: 1)) }
        #expect(injectedFaults == [.status(503), .status(503), nil, nil])
    }
}
