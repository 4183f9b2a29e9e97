import Concurrency
import EventStore
import FoundationEssentials
import ServiceRuntime
import Storage

/// Delivers alerts to people: the outbox, and a worker for each sink.
///
/// The sinks can be replaced while it runs. A sink has one worker at any time: the next one begins when the former has
/// ended its attempt, so that no message is sent by two.
///
/// See docs/decisions/reading-the-rule-file-again.md.
final class DeliveryService: Service {
    let outbox: Outbox
    private let board: String?
    private let database: Database
    private let clients = SinkClients()
    private let metrics: DeliveryMetrics
    private let runtime: Runtime
    private let state: Locked<State>
    /// The runs of workers, which ``run()`` starts.
    private let runs: AsyncStream<@Sendable () async -> Void>
    private let addRun: AsyncStream<@Sendable () async -> Void>.Continuation

    private struct State {
        /// The newest worker of each sink, also of sinks that were removed until it has ended.
        var workers: [String: WorkerRun] = [:]
        var isStopping = false
    }

    private struct WorkerRun {
        let worker: SinkWorker
        let hasEnded = AsyncCondition(false)

        /// Waits until the worker has ended, which it does soon when it is stopped or cancelled.
        func waitForEnd() async {
            await hasEnded.waitIgnoringCancellation { $0 ? () : nil }
        }
    }

    /// Makes the outbox and a worker for each sink; writes and sends nothing yet.
    ///
    /// - Parameters:
    ///   - board: the board's public URL, for links.
    ///   - dryRun: is called with a line for each alert that a sink would get; there are no workers then.
    init(
        to sinks: [ConfiguredSink], board: String?, from database: Database, _ log: EventLog,
        dryRun: (@Sendable (String) -> Void)?, runtime: Runtime
    ) {
        let state = Locked(State())
        let outbox = Outbox(log: log, sinks: [], dryRun: dryRun) { sink in
            state.withLock { $0.workers[sink]?.worker.wakeSignal }?.signal()
        }
        self.state = state
        self.outbox = outbox
        metrics = DeliveryMetrics(runtime.metrics) {
            try await database.read { try outbox.counts(in: $0) }
        }
        self.board = board
        self.database = database
        self.runtime = runtime
        (runs, addRun) = AsyncStream.makeStream()
        replaceSinks(by: sinks, runtime)
    }

    /// Delivers to these sinks from now on. What waits for a sink that is not among them is closed by
    /// ``closeRemovedSinks()``.
    ///
    /// - Parameter runtime: its logger knows the secrets of the sinks.
    func replaceSinks(by sinks: [ConfiguredSink], _ runtime: Runtime) {
        state.withLock { state in
            guard !state.isStopping else { return }
            metrics.add(sinks.map(\.name))
            outbox.replaceSinks(by: sinks)
            for run in state.workers.values { run.worker.stop() }
            guard outbox.dryRun == nil else { return }
            let former = state.workers
            for sink in sinks {
                let worker = SinkWorker(
                    sink: sink, outbox: outbox, database: database, clients: clients, board: board,
                    wakeSignal: WakeSignal(), metrics: metrics, runtime: runtime, fraction: { .random(in: 0..<1) })
                let run = WorkerRun(worker: worker)
                state.workers[sink.name] = run
                let last = former[sink.name]
                addRun.yield {
                    await last?.waitForEnd()
                    await worker.run()
                    run.hasEnded.update { $0 = true }
                }
            }
        }
    }

    /// Ends the deliveries that wait for sinks that are no longer configured; does nothing in a dry run.
    ///
    /// Deliveries of a sink whose worker still makes an attempt are left until it has ended.
    ///
    /// - Throws: an error of the database.
    func closeRemovedSinks() async throws {
        guard outbox.dryRun == nil else { return }
        let configured = Set(outbox.sinks.map(\.name))
        let busy = state.withLock { state in
            state.workers.filter { !configured.contains($0.key) && !$0.value.hasEnded.read(\.self) }
        }
        let now = runtime.wallClock.now()
        try await database.write { [outbox] in
            try outbox.closeRemovedSinks(except: Set(busy.keys), at: now, in: $0)
        }
        for run in busy.values {
            addRun.yield { [self] in
                await run.waitForEnd()
                guard !state.withLock(\.isStopping) else { return }
                // A failure of the database leaves the rows to the next start.
                try? await closeRemovedSinks()
            }
        }
    }

    func run() async throws {
        await withDiscardingTaskGroup { tasks in
            for await run in runs { tasks.addTask(operation: run) }
        }
        await clients.shutdown()
    }

    func stop() async {
        let workers = state.withLock { state in
            state.isStopping = true
            return state.workers.values.map(\.worker)
        }
        for worker in workers { worker.stop() }
        addRun.finish()
    }
}
