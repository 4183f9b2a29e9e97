import Concurrency
import Contract
public import ServiceRuntime
import YAML

/// How rules and sinks are read again while a notifier runs: the requests to do so, which only the notifier may read, and what
/// reads them and makes a logger that knows the secrets in them.
public typealias RuleFileReloading = (
    requests: AsyncStream<Void>, read: @Sendable () throws -> (RuleFile, Logger)
)

/// Decides alerts by the rules in force, and replaces rules and sinks when it is asked to: the former alert service ends when
/// it has written what it has decided, and the next one begins at the stored position, as after a restart. See
/// docs/decisions/reading-the-rule-file-again.md.
final class RuleService: Service {
    private struct State {
        var current: AlertService
        var isStopping = false
    }

    private let state: Locked<State>
    private let reloading: RuleFileReloading?
    private let runtime: Runtime
    private let makeNext: @Sendable (RuleFile, Runtime) async throws -> AlertService

    init(
        _ first: AlertService, reloading: RuleFileReloading?, runtime: Runtime,
        makeNext: @escaping @Sendable (RuleFile, Runtime) async throws -> AlertService
    ) {
        state = Locked(State(current: first))
        self.reloading = reloading
        self.runtime = runtime
        self.makeNext = makeNext
    }

    var current: AlertService { state.withLock(\.current) }

    func run() async throws {
        while let (file, logger) = try await runUntilReload() {
            var runtime = runtime
            runtime.logger = logger
            let next = await RetryLoop(clock: runtime.clock).run { [runtime] in
                try await makeNext(file, runtime)
            } onFailure: { error in
                logger.error("cannot put the rule file into force; the notifier tries again", [.error: "\(error)"])
            }
            guard let next else { return }  // the process ends
            let isStopping = state.withLock { state in
                state.current = next
                return state.isStopping
            }
            if isStopping { await next.stop() }
            logger.info(
                "the rule file was read again and is in force",
                [
                    .rule: file.rules.names.map(\.rawValue).joined(separator: ","),
                    .sink: file.sinks.map(\.name).joined(separator: ","),
                ])
        }
    }

    func stop() async {
        let service = state.withLock { state in
            state.isStopping = true
            return state.current
        }
        await service.stop()
    }

    /// Runs the current alert service until there is a valid rule file to replace its rules, and returns that; returns nil
    /// when the service was stopped.
    private func runUntilReload() async throws -> (RuleFile, Logger)? {
        let service = current
        return try await withThrowingTaskGroup(of: (RuleFile, Logger)?.self) { tasks in
            tasks.addImmediateTask {
                try await service.run()
                return nil
            }
            tasks.addTask { await self.nextRuleFile() }
            let next = try await tasks.next() ?? nil
            if next == nil {
                tasks.cancelAll()
            } else {
                await service.stop()
                _ = try await tasks.next()
            }
            return next
        }
    }

    /// Waits for a request to read the rule file, and returns the file; a file with mistakes is logged and skipped. Returns
    /// nil if the task is cancelled; waits for that if there is no file to read.
    private func nextRuleFile() async -> (RuleFile, Logger)? {
        guard let reloading else {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return nil
        }
        for await _ in reloading.requests {
            do {
                return try reloading.read()
            } catch let error as ConfigurationDiagnosticsError {
                for diagnostic in error.diagnostics {
                    runtime.logger.error(
                        "the rule file has a mistake; the former rules stay in force", [.error: "\(diagnostic)"])
                }
            } catch {
                runtime.logger.error(
                    "cannot read the rule file; the former rules stay in force", [.error: "\(error)"])
            }
        }
        return nil
    }
}
