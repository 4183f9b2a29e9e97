public import FoundationEssentials
import Networking

extension SinkConfiguration {
    /// Hands a letter to the sink that only says that letters arrive, past the outbox, and returns what it answered.
    public func test(at now: Date) async throws -> (isTaken: Bool, answer: String) {
        var retry = RetryPolicy.never
        retry.attemptTimeout = .seconds(30)
        let client = HTTPClient(retry: retry)
        let mail = MailClient()
        let sink = recipient(client, mail).sink
        let answer = await sink.send(try SinkMessage(trialOf: name, at: now), at: now).fit(without: sink.secrets)
        await client.shutdown()
        await mail.shutdown()
        return (answer.verdict == .taken, answer.text)
    }
}
