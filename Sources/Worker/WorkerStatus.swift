import BoxOffice
import Events

/// What the worker says of itself when it is asked.
struct WorkerStatus: Sendable, Encodable {
    /// How many requests wait.
    struct Queue: Sendable, Encodable {
        let live: Int
        let backfill: Int
    }

    let version: String
    let epoch: String
    let positions: [Stream: SequenceNumber]
    let queue: Queue
    let quota: [String: QuotaLedger.Balance]
    /// What the worker asks for next by itself, soonest first; nothing where it does not.
    var schedule: [ScheduleService.Appointment] = []
    /// How far the backfill has come, or the last one; nil if there was none.
    @Nullable var backfill: BackfillProgress? = nil
    /// Seconds since the start.
    let uptime: Int
}
