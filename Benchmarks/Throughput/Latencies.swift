import Concurrency
import ZeroMQ

/// When each numbered event was asked for, and how long after that a subscriber had it.
final class Latencies: Sendable {
    private struct State {
        var requested: [ContinuousClock.Instant]
        var durations: [Duration] = []
    }

    private let state: Locked<State>

    init(count: Int) {
        state = Locked(State(requested: Array(repeating: .now, count: count)))
    }

    func requested(_ number: Int, at instant: ContinuousClock.Instant = .now) {
        state.withLock { $0.requested[number] = instant }
    }

    /// The topic's last eight digits are the number, from ten million on.
    func received(_ message: Message, at now: ContinuousClock.Instant) {
        let digits = String(decoding: message.frames[0].suffix(8), as: UTF8.self)
        guard let number = Int(digits).map({ $0 - 10_000_000 }) else { return }
        state.withLock { $0.durations.append(now - $0.requested[number]) }
    }

    func report(_ name: String, rate: Int) {
        let sorted = state.withLock { $0.durations.sorted() }
        let median = sorted[sorted.count / 2].seconds * 1000
        let p99 = sorted[sorted.count * 99 / 100].seconds * 1000
        print("\(name):".padded, rate, "a second")
        print("  from the request to the subscriber:".padded, "median \(rounded(median)) ms, p99 \(rounded(p99)) ms")
    }

    private func rounded(_ milliseconds: Double) -> Double {
        (milliseconds * 100).rounded() / 100
    }
}
