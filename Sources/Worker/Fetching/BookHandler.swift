import BoxOffice
import Contract
import FoundationEssentials
import Health
import JSONCoding
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

    /// Returns the reply `booked`, or the refusal if no call is left.
    func answer(_ command: Command) async -> Reply {
        do {
            let body = try RequestFrames(command.frames).body
            // A body that cannot be read names no service.
            let fields = try? JSON.decode(Fields.self, from: Array(body.utf8))
            guard let service = fields?.service, quota.limits[service] != nil else {
                let services = quota.limits.keys.sorted().joined(separator: ", ")
                throw ContractError(.badRequest, "service must be one of: \(services)", field: "service")
            }
            do throws(UpstreamError) {
                try await quota.book(service, for: .live)
            } catch {
                throw try ContractError(error, at: quota.wallClock.now())
            }
            return Reply(frames: [Array("booked".utf8), Array("{}".utf8)])
        } catch {
            return .refused(ContractError(error, "\(command.name) failed: \(error)"))
        }
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
