import BoxOffice
import Contract
import FoundationEssentials
import Health
import Messaging
import Networking
public import ServiceRuntime
import Storage
import Upstreams

/// The command `book`: counts a call that a client makes by itself with the worker's key, as `marquee check` does.
struct BookHandler: Sendable {
    let quota: QuotaLedger

    private struct Fields: Decodable {
        let service: String?
    }

    /// Returns the reply `booked`; throws if no call is left.
    func answer(_ command: Command) async throws -> Reply {
        let fields = try RequestBody.fields(RequestFrames(command.frames).body, as: Fields.self)
        guard let service = fields.service, quota.limits[service] != nil else {
            let services = quota.limits.keys.sorted().joined(separator: ", ")
            throw ContractError(.badRequest, "service must be one of: \(services)", field: "service")
        }
        do throws(UpstreamError) {
            try await quota.book(service, for: .live)
        } catch {
            throw try ContractError(error, at: quota.wallClock.now())
        }
        return Reply(frames: [Array("booked".utf8), Array("{}".utf8)])
    }
}

extension WorkerProcess {
    /// Books a call to `service` in the database of a worker that does not run.
    ///
    /// - Throws: `DatabaseError` if there is no database yet, or it is in use or of another version; then nothing is
    ///   booked. `UpstreamError` if no call is left.
    public static func book(_ service: String, _ configuration: Configuration) async throws {
        let location = DatabaseLocation(of: .worker, configuration)
        // Not opened for writing if that would create or migrate it.
        try Database.inspect(location, schema: WorkerStore.schema) { _ in }
        let database = try Database(location, schema: WorkerStore.schema)
        let quota = QuotaLedger(database: database, wallClock: .system, configuration)
        let result: Result<KoreanDate?, UpstreamError>
        do {
            result = .success(try await quota.book(service, for: .live))
        } catch {
            result = .failure(error)
        }
        await database.close()
        _ = try result.get()
    }
}
