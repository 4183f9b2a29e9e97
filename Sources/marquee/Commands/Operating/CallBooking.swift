import Contract
import JSONCoding
import Messaging
import Networking
import ServiceRuntime
import Upstreams
import Worker
import ZeroMQ

/// Counts the calls that a command makes with the worker's keys: by the worker, or in its database while it does not run.
struct CallBooking: Sendable {
    private let configuration: Configuration
    /// The worker; nil if none answers.
    private let worker: CommandClient?

    /// Asks whether the worker runs.
    init(_ configuration: Configuration, _ io: IOThread) async {
        self.configuration = configuration
        do {
            let client = try await CommandClient(io, addresses: configuration.reachableCommands)
            _ = try await client.ask("status", within: .seconds(5))
            worker = client
        } catch {
            worker = nil  // another check says so
        }
    }

    /// Books a call. Nothing is booked by a worker that does not know the command or does not allow it, nor before the first
    /// start of a worker.
    ///
    /// - Throws: `quotaExhausted` if no call is left.
    func book(_ service: String) async throws(UpstreamError) {
        guard [Kobis.service, KakaoImageSearch.service].contains(service) else { return }
        do {
            if let worker {
                let body = try JSON.text(["service": service])
                let failure = try await worker.ask("book", body, within: .seconds(5)).failure
                guard let failure, failure.code == .quotaExhausted else { return }
                throw UpstreamError(service: service, kind: .quotaExhausted, message: failure.message)
            }
            try await WorkerProcess.book(service, configuration)
        } catch let error as UpstreamError {
            throw error
        } catch {
            return  // the call is made all the same: it shows whether the service answers
        }
    }
}
