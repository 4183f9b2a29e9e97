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
        let today = BackfillForecast(remaining: 100, leftToday: 200, perDay: 200, rate: 50)
        #expect(today.end(at: noon) == noon + 2)
        let later = BackfillForecast(remaining: 500, leftToday: 100, perDay: 200, rate: 50)
        #expect(later.end(at: noon) == noon + 36 * 3600 + 4)
        #expect(BackfillForecast(remaining: 5, leftToday: 0, perDay: 0, rate: 1).end(at: noon) == nil)
        #expect(BackfillForecast(remaining: 5, leftToday: 9, perDay: 9, rate: nil).end(at: noon) == nil)
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
