import Contract
import JSONCoding
import Messaging
import Networking
import ServiceRuntime
import Upstreams
import ZeroMQ

/// Lets the worker count the calls that a command makes with its keys.
struct CallBooking: Sendable {
    /// The worker; nil if none answers.
    private let worker: CommandClient?

    /// Asks whether the worker runs.
    init(_ configuration: Configuration, _ io: IOThread) async {
        do {
            let client = try await CommandClient(io, addresses: configuration.reachableCommands)
            _ = try await client.ask("status", within: .seconds(5))
            worker = client
        } catch {
            worker = nil  // another check says so
        }
    }

    /// Books a call. Nothing is booked by a worker that does not run, does not know the command, or does not allow it.
    ///
    /// - Throws: `quotaExhausted` if no call is left.
    func book(_ service: String) async throws(UpstreamError) {
        guard let worker, [Kobis.service, KakaoImageSearch.service].contains(service) else { return }
        do {
            let body = try JSON.text(["service": service])
            let failure = try await worker.ask("book", body, within: .seconds(5)).failure
            guard let failure, failure.code == .quotaExhausted else { return }
            throw UpstreamError(service: service, kind: .quotaExhausted, message: failure.message)
        } catch let error as UpstreamError {
            throw error
        } catch {
            return  // the call is made all the same: it shows whether the service answers
        }
    }
}
