import Concurrency
import Contract
import Messaging
import Operations
import SQLite

extension BackfillService {
    /// Answers the command `backfill`: begins a job, or ends all.
    func answer(_ command: Command) async -> Reply {
        do {
            let fields = try BackfillFields(command)
            if fields.isStop {
                try await store.database.write { try BackfillStore.stop(in: $0) }
                return .accepted(Self.receipt("all"))
            }
            let days = try fields.days(at: clock.now())
            let number = try await store.database.write { connection in
                try BackfillStore.begin(
                    days, weeks: fields.wantsWeeks, movies: fields.wantsMovies, in: connection)
            }
            state.withLock { $0 = BackoffState() }
            wakeSignal.signal()
            return .accepted(Self.receipt("\(number)"))
        } catch let failure as ContractError {
            return .refused(failure)
        } catch {
            return .refused(ContractError(.internal, "the backfill cannot be written down: \(error)"))
        }
    }

    private static func receipt(_ job: String) -> RequestID {
        RequestID("\(prefix)\(job)") ?? .random()
    }
}
