import BoxOffice
import Contract
import FoundationEssentials
import Testing
import Worker

@testable import marquee

/// The estimated end of a backfill.
@Suite struct BackfillForecastTests {
    /// 2024-06-05, noon in Korea.
    private let noon = Date(timeIntervalSince1970: 1_717_556_400)

    @Test("the end is estimated from the quota and the rate")
    func end() {
        func end(_ remaining: Int, leftToday: Int, perDay: Int, rate: Double?) -> Date? {
            backfillEnd(from: noon, remaining: remaining, leftToday: leftToday, perDay: perDay, rate: rate)
        }
        #expect(end(100, leftToday: 200, perDay: 200, rate: 50) == noon + 2)
        #expect(end(500, leftToday: 100, perDay: 200, rate: 50) == noon + 36 * 3600 + 4)
        #expect(end(5, leftToday: 0, perDay: 0, rate: 1) == nil)
        #expect(end(5, leftToday: 9, perDay: 9, rate: nil) == nil)
    }

    @Test("the rate is that of the last changes")
    func rate() {
        var rate = RateEstimator()
        let start = ContinuousClock.now
        #expect(rate.perSecond(0, at: start) == nil)
        #expect(rate.perSecond(10, at: start + .seconds(1)) == 10)
        #expect(rate.perSecond(10, at: start + .seconds(5)) == 10)
        #expect(rate.perSecond(40, at: start + .seconds(4)) == 10)
    }
}
