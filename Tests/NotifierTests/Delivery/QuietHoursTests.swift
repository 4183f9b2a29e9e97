import BoxOffice
import Foundation
import Testing

@testable import Notifier

struct QuietHoursTests {
    @Test(
        "quiet hours end at their time in Korea, today or tomorrow",
        arguments: [
            ("23:00-08:00", "2026-11-21 22:59", nil), ("23:00-08:00", "2026-11-21 23:00", "2026-11-22 08:00"),
            ("23:00-08:00", "2026-11-22 00:00", "2026-11-22 08:00"),
            ("23:00-08:00", "2026-11-22 07:59", "2026-11-22 08:00"), ("23:00-08:00", "2026-11-22 08:00", nil),
            ("12:00-13:30", "2026-11-21 13:29", "2026-11-21 13:30"), ("12:00-13:30", "2026-11-21 13:30", nil),
            ("12:00-13:30", "2026-11-21 11:59", nil), ("00:00-09:00", "2026-12-31 23:59", nil),
            ("00:00-09:00", "2027-01-01 00:00", "2027-01-01 09:00"),
            ("09:00-00:00", "2026-12-31 23:59", "2027-01-01 00:00"),
        ] as [(String, String, String?)])
    func end(hours: String, now: String, end: String?) throws {
        #expect(try #require(QuietHours(hours)).end(at: koreanTime(now)) == end.map(koreanTime))
    }

    @Test(
        "invalid quiet hours are rejected",
        arguments: [
            "", "23:00", "23:00-", "24:00-08:00", "8:00-9:00", "08:00-08:00", "08:60-09:00", "a-b", "１２:00-13:00",
        ])
    func diagnostics(text: String) {
        #expect(QuietHours(text) == nil)
    }
}

struct SpanTests {
    @Test(
        "a span consists of a count and a unit",
        arguments: [("90s", 90), ("5m", 300), ("12h", 43_200), ("3d", 259_200)])
    func spans(text: String, seconds: Int) {
        #expect(Duration(span: text) == .seconds(seconds))
    }

    @Test(
        "an invalid span is rejected",
        arguments: ["", "s", "0s", "-1s", "1", "1w", "1001d", "99999999999999999999s", "1.5h"])
    func diagnostics(text: String) {
        #expect(Duration(span: text) == nil)
        #expect(RateLimit("3/\(text)") == nil)
    }

    @Test("a rate limit allows the next message once the oldest attempt is outside its span")
    func rate() throws {
        let rate = try #require(RateLimit("2/1m"))
        let now = koreanTime("2026-11-21 12:00")
        #expect(rate.nextSlot(after: [], at: now) == nil)
        #expect(rate.nextSlot(after: [now - 10], at: now) == nil)
        #expect(rate.nextSlot(after: [now - 10, now - 40], at: now) == now + 20)
        #expect(rate.nextSlot(after: [now - 10, now - 60], at: now) == nil)
        #expect(rate.nextSlot(after: [now + 500, now + 400, now - 10], at: now) == nil, "the clock was set back")
        #expect(RateLimit("0/1m") == nil)
    }
}

struct BackoffTests {
    @Test("pauses double up to a maximum, are at least half of that, and end after the last attempt")
    func pauses() {
        let backoff = Backoff(attempts: 5, base: .seconds(4), cap: .seconds(10))
        let pauses = [1, 2, 3, 4, 5].map { backoff.pause(after: $0, retryAfter: nil, fraction: 0) }
        #expect(pauses == [.seconds(2), .seconds(4), .seconds(5), .seconds(5), nil])
        #expect(backoff.pause(after: 2, retryAfter: nil, fraction: 0.5) == .seconds(6))
    }

    @Test("no message is retried before the time that the sink asks for, and none waits longer than a day")
    func retryAfter() {
        let backoff = Backoff()
        #expect(backoff.pause(after: 1, retryAfter: .seconds(90), fraction: 0) == .seconds(90))
        #expect(backoff.pause(after: 1, retryAfter: .seconds(1), fraction: 0) == .seconds(2.5))
        #expect(backoff.pause(after: 1, retryAfter: .seconds(Int32.max), fraction: 0) == .seconds(86_400))
        #expect(backoff.pause(after: 19, retryAfter: nil, fraction: 0.99) ?? .zero <= .seconds(3_600))
    }
}
