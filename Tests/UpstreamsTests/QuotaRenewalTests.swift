import BoxOffice
import Foundation
import Testing

@testable import Upstreams

@Suite struct QuotaRenewalTests {
    @Test(arguments: [
        ("2026-11-21T15:00:00Z", 86_400), ("2026-11-21T15:00:01Z", 86_399), ("2026-11-21T06:00:00Z", 32_400),
        ("2026-11-21T14:59:59Z", 1),
    ])
    func theDailyQuotaRenewsAtMidnightInKorea(at text: String, seconds: Int) throws {
        let instant = try Date(text, strategy: .iso8601)
        #expect(KoreanDate.timeToMidnight(at: instant) == .seconds(seconds))
    }

    @Test func aFractionIsRoundedUpSoThatMidnightHasPassed() throws {
        let instant = Sample.date("2026-11-22").start.addingTimeInterval(-0.25)
        #expect(KoreanDate.timeToMidnight(at: instant) == .seconds(1))
    }
}
