import BoxOffice
import Foundation
import Testing

@testable import Notifier

/// What waits and what time it is, and what is done about it.
struct DeliveryPolicyTests {
    private func waiting(
        _ number: Int, _ queuedAt: String, messageKey: String? = nil, attempts: Int = 0, due: String? = nil
    ) -> DeliveryPolicy.WaitingAlert {
        DeliveryPolicy.WaitingAlert(
            number: number, alert: "alert.\(number)", queuedAt: koreanTime(queuedAt), messageKey: messageKey,
            attempts: attempts,
            dueAt: due.map(koreanTime))
    }

    private func policy(quiet: String? = nil, digest: String? = nil, rate: String? = nil) -> DeliveryPolicy {
        DeliveryPolicy(
            sink: "editor", quietHours: quiet.flatMap { QuietHours($0) }, digest: digest.flatMap { TimeOfDay($0) },
            rate: rate.flatMap { RateLimit($0) })
    }

    @Test("nothing waits, nothing is done; what waits goes at once, the oldest first, each by itself")
    func plain() {
        let now = koreanTime("2026-11-21 12:00")
        #expect(policy().nextStep([], .init(), at: now) == .idle)
        let rows = [waiting(1, "2026-11-21 11:59"), waiting(2, "2026-11-21 11:59")]
        #expect(policy().nextStep(rows, .init(), at: now) == .send(key: "alert.1", [rows[0]]))
    }

    @Test("a letter that is to be tried later holds up those behind it, and is the same when it is tried")
    func again() {
        let first = waiting(1, "2026-11-21 11:00", messageKey: "alert.1", attempts: 3, due: "2026-11-21 12:30")
        let rows = [first, waiting(2, "2026-11-21 11:01")]
        #expect(
            policy().nextStep(rows, .init(), at: koreanTime("2026-11-21 12:00"))
                == .wait(until: koreanTime("2026-11-21 12:30")))
        #expect(policy().nextStep(rows, .init(), at: koreanTime("2026-11-21 12:30")) == .send(key: "alert.1", [first]))
    }

    @Test("a pause that no letter can have been given is from before the clock was set back, and counts as over")
    func clockSetBack() {
        let row = waiting(1, "2026-11-21 11:00", messageKey: "alert.1", attempts: 1, due: "2026-11-23 12:00")
        #expect(policy().nextStep([row], .init(), at: koreanTime("2026-11-21 12:00")) == .send(key: "alert.1", [row]))
    }

    @Test("what comes in quiet hours, or is to be tried again in them, goes when they are over")
    func quiet() {
        let quiet = policy(quiet: "23:00-08:00")
        let rows = [waiting(1, "2026-11-21 22:00", attempts: 1, due: "2026-11-21 23:30")]
        for time in ["2026-11-21 23:00", "2026-11-22 00:10", "2026-11-22 07:59"] {
            #expect(quiet.nextStep(rows, .init(), at: koreanTime(time)) == .wait(until: koreanTime("2026-11-22 08:00")))
        }
        #expect(quiet.nextStep(rows, .init(), at: koreanTime("2026-11-22 08:00")) == .send(key: "alert.1", rows))
        #expect(quiet.nextStep([], .init(), at: koreanTime("2026-11-22 00:10")) == .idle)
    }

    @Test("a rate counts attempts, and lets the next letter go when there is room")
    func rate() {
        let rows = [waiting(1, "2026-11-21 12:00")]
        let past = DeliveryPolicy.SendHistory(attempts: [
            koreanTime("2026-11-21 11:59"), koreanTime("2026-11-21 11:30"),
        ])
        let hourly = policy(rate: "2/1h")
        #expect(
            hourly.nextStep(rows, past, at: koreanTime("2026-11-21 12:00"))
                == .wait(until: koreanTime("2026-11-21 12:30")))
        #expect(hourly.nextStep(rows, past, at: koreanTime("2026-11-21 12:30")) == .send(key: "alert.1", rows))
    }

    @Test("a day's alerts go in one letter, at the digest's time; what comes later is the next day's")
    func digest() {
        let daily = policy(digest: "09:00")
        let rows = [
            waiting(1, "2026-11-20 09:00"), waiting(2, "2026-11-21 08:59"), waiting(3, "2026-11-21 09:00"),
        ]
        #expect(
            daily.nextStep(rows, .init(), at: koreanTime("2026-11-21 08:59"))
                == .wait(until: koreanTime("2026-11-21 09:00")))
        let step = daily.nextStep(rows, .init(), at: koreanTime("2026-11-21 09:00"))
        #expect(step == .send(key: "digest.editor.2026-11-21", Array(rows.prefix(2))))
    }

    @Test("after days of rest each day has its digest, in order")
    func lateDigests() {
        let daily = policy(digest: "09:00")
        let rows = [waiting(1, "2026-11-18 10:00"), waiting(2, "2026-11-19 10:00"), waiting(3, "2026-11-19 11:00")]
        let now = koreanTime("2026-11-21 12:00")
        #expect(daily.nextStep(rows, .init(), at: now) == .send(key: "digest.editor.2026-11-19", [rows[0]]))
        let past = DeliveryPolicy.SendHistory(lastDigest: KoreanDate("2026-11-19"))
        let rest = Array(rows.dropFirst())
        #expect(daily.nextStep(rest, past, at: now) == .send(key: "digest.editor.2026-11-20", rest))
    }

    @Test("a digest that was begun is sent again as it was, whatever came since, and its key never has other alerts")
    func digestAgain() {
        let daily = policy(digest: "09:00")
        let begun = ["2026-11-20 10:00", "2026-11-20 11:00"].enumerated().map { index, time in
            waiting(index + 1, time, messageKey: "digest.editor.2026-11-21", attempts: 1)
        }
        let past = DeliveryPolicy.SendHistory(lastDigest: KoreanDate("2026-11-21"))
        // It came after the digest was begun, and by a clock that was set back before it.
        let late = waiting(3, "2026-11-21 08:30")
        let now = koreanTime("2026-11-21 09:05")
        #expect(daily.nextStep(begun + [late], past, at: now) == .send(key: "digest.editor.2026-11-21", begun))
        #expect(daily.nextStep([late], past, at: now) == .wait(until: koreanTime("2026-11-22 09:00")))
        #expect(
            daily.nextStep([late], past, at: koreanTime("2026-11-22 09:00"))
                == .send(key: "digest.editor.2026-11-22", [late]))
    }

    @Test("a letter that was begun ends as it was begun, though the sink has a digest now, or none any more")
    func changedSettings() {
        let now = koreanTime("2026-11-21 12:00")
        let single = waiting(1, "2026-11-21 11:00", messageKey: "alert.1", attempts: 1)
        #expect(policy(digest: "09:00").nextStep([single], .init(), at: now) == .send(key: "alert.1", [single]))
        let both = [1, 2].map { waiting($0, "2026-11-20 11:00", messageKey: "digest.editor.2026-11-21", attempts: 1) }
        #expect(policy().nextStep(both, .init(), at: now) == .send(key: "digest.editor.2026-11-21", both))
    }

    @Test("a digest in quiet hours goes when they are over")
    func quietDigest() {
        let both = policy(quiet: "22:00-10:00", digest: "09:00")
        let rows = [waiting(1, "2026-11-20 12:00")]
        #expect(
            both.nextStep(rows, .init(), at: koreanTime("2026-11-21 09:00"))
                == .wait(until: koreanTime("2026-11-21 10:00")))
        #expect(
            both.nextStep(rows, .init(), at: koreanTime("2026-11-21 10:00"))
                == .send(key: "digest.editor.2026-11-21", rows))
    }
}
