import Concurrency
import Contract
import EventStore
import ServiceRuntime

/// Publishes what all workers that share the database have committed, in the order of the log. Each of them sends the
/// same messages, because it follows from the log alone which events are sent again: those that a `request.done` names,
/// but for the ones that were logged with it.
struct LogFollower: Service {
    let store: WorkerStore
    let publish: @Sendable ([LoggedEvent]) -> Void
    let runtime: Runtime
    /// The number of the log's newest event at the start.
    let start: Int
    let wakeSignal: WakeSignal

    func run() async throws {
        let logger = RateLimitedLogger(runtime.logger)
        var run = LogRun(number: start)
        await wakeSignal.runLoop(runtime.clock) {
            do {
                while true {
                    let (events, end) = try await store.read { [run] in try $0.page(after: run) }
                    if end.number == run.number { break }
                    publish(events)
                    run = end
                }
            } catch {
                logger.error("committed events cannot be read and published; trying again", [.error: "\(error)"])
            }
            return .seconds(1)
        }
    }

    func stop() async {
        // Once more, for what was committed last.
        wakeSignal.signal()
        wakeSignal.stop()
    }
}

/// The events before a place in the log that one request has caused, one after another.
private struct LogRun: Sendable {
    private(set) var number: Int
    private var request: RequestID?
    private var events: [LoggedEvent] = []

    init(number: Int) {
        self.number = number
    }

    mutating func append(_ event: LoggedEvent, number: Int) {
        let request = try? Event(topic: event.topic, body: event.body).correlationID
        if request != self.request { (self.request, events) = (request, []) }
        if request != nil { events.append(event) }
        self.number = number
    }

    /// Whether the log has an answer right before the request's end, by which it was published.
    func contains(_ answer: RequestDone.Answer) -> Bool {
        events.contains { $0.sequence == answer.sequence && $0.stream == answer.stream }
    }
}

extension StoreTransaction {
    /// Returns the messages for the events of the log after a run, in their order, and where they end.
    fileprivate func page(after run: LogRun) throws -> (events: [LoggedEvent], end: LogRun) {
        var (events, end) = ([LoggedEvent](), run)
        // Clients often ask for the same thing at once.
        var known: [RequestDone.Answer: LoggedEvent] = [:]
        for (number, event) in try log.events(after: run.number, limit: 500, in: connection) {
            end.append(event, number: number)
            if case .request(.done, _) = event.topic {
                // One that a newer version has written, with data that this one cannot read, has nothing to repeat.
                let answers = try readable { try event.data(as: RequestDone.self).events } ?? []
                for answer in answers where !end.contains(answer) {
                    let repeated =
                        try known[answer] ?? log.event(at: answer.sequence, of: answer.stream, in: connection)
                    known[answer] = repeated
                    events += [repeated].compactMap(\.self)
                }
            }
            events.append(event)
        }
        return (events, end)
    }
}
