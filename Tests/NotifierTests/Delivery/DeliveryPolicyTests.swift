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

    @Test("an empty queue sends nothing; waiting messages are sent at once, one by one, oldest first")
    func plain() {
        let now = koreanTime("2026-11-21 12:00")
        #expect(policy().nextStep([], .init(), at: now) == .idle)
        let rows = [waiting(1, "2026-11-21 11:59"), waiting(2, "2026-11-21 11:59")]
        #expect(policy().nextStep(rows, .init(), at: now) == .send(key: "alert.1", [rows[0]]))
    }

    @Test("a message that waits for a retry delays the ones behind it, and the retry sends the same message")
    func again() {
        let first = waiting(1, "2026-11-21 11:00", messageKey: "alert.1", attempts: 3, due: "2026-11-21 12:30")
        let rows = [first, waiting(2, "2026-11-21 11:01")]
        #expect(
            policy().nextStep(rows, .init(), at: koreanTime("2026-11-21 12:00"))
                == .wait(until: koreanTime("2026-11-21 12:30")))
        #expect(policy().nextStep(rows, .init(), at: koreanTime("2026-11-21 12:30")) == .send(key: "alert.1", [first]))
    }

    @Test("a pause longer than the maximum is ignored, because the clock was set back")
    func clockSetBack() {
        let row = waiting(1, "2026-11-21 11:00", messageKey: "alert.1", attempts: 1, due: "2026-11-23 12:00")
        #expect(policy().nextStep([row], .init(), at: koreanTime("2026-11-21 12:00")) == .send(key: "alert.1", [row]))
    }

    @Test("a message that is due in quiet hours, also for a retry, is sent when they end")
    func quiet() {
        let quiet = policy(quiet: "23:00-08:00")
        let rows = [waiting(1, "2026-11-21 22:00", attempts: 1, due: "2026-11-21 23:30")]
        for time in ["2026-11-21 23:00", "2026-11-22 00:10", "2026-11-22 07:59"] {
            #expect(quiet.nextStep(rows, .init(), at: koreanTime(time)) == .wait(until: koreanTime("2026-11-22 08:00")))
        }
        #expect(quiet.nextStep(rows, .init(), at: koreanTime("2026-11-22 08:00")) == .send(key: "alert.1", rows))
        #expect(quiet.nextStep([], .init(), at: koreanTime("2026-11-22 00:10")) == .idle)
    }

    @Test("a rate limit counts attempts and delays the next message until one is allowed")
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

    @Test("a digest is sent at its time with the alerts of the day; later alerts go into the next day's digest")
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

    @Test("after days of quiet hours, each day's digest is sent in order")
    func lateDigests() {
        let daily = policy(digest: "09:00")
        let rows = [waiting(1, "2026-11-18 10:00"), waiting(2, "2026-11-19 10:00"), waiting(3, "2026-11-19 11:00")]
        let now = koreanTime("2026-11-21 12:00")
        #expect(daily.nextStep(rows, .init(), at: now) == .send(key: "digest.editor.2026-11-19", [rows[0]]))
        let past = DeliveryPolicy.SendHistory(lastDigest: KoreanDate("2026-11-19"))
        let rest = Array(rows.dropFirst())
        #expect(daily.nextStep(rest, past, at: now) == .send(key: "digest.editor.2026-11-20", rest))
    }

    @Test("a retried digest keeps its alerts and its key; newer alerts go into the next digest")
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

    @Test("a message keeps its form when it is retried, even if the sink's digest was turned on or off meanwhile")
    func changedSettings() {
        let now = koreanTime("2026-11-21 12:00")
        let single = waiting(1, "2026-11-21 11:00", messageKey: "alert.1", attempts: 1)
        #expect(policy(digest: "09:00").nextStep([single], .init(), at: now) == .send(key: "alert.1", [single]))
        let both = [1, 2].map { waiting($0, "2026-11-20 11:00", messageKey: "digest.editor.2026-11-21", attempts: 1) }
        #expect(policy().nextStep(both, .init(), at: now) == .send(key: "digest.editor.2026-11-21", both))
    }

    @Test("a digest that is due in quiet hours is sent when they end")
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
