/// Sends single requests by libcurl, on a thread of its own.
///
/// Mail is one of them. It knows nothing of services, retries and sharing; it keeps the limits per host, deadlines and cancellation. Every
/// `perform` returns: with an answer, at its deadline, when its task is cancelled, or at shutdown.
final class Transport: Sendable {
    private let inbox: TransferQueue
    /// The thread, for tasks that prefer it.
    var executor: any TaskExecutor { inbox }

    init(limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool) {
        inbox = CurlEventLoop.start(limits: limits, isPublic: isPublic)
    }

    deinit {
        inbox.close()
    }

    /// Does an errand, which may wait for a place until `deadline` has passed and take `timeout` from then on.
    func perform(_ errand: TransferRequest, timeout: Duration, deadline: Duration) async -> TransferOutcome {
        if let mistake = errand.mistake { return .failure(TransferError(kind: .badRequest, reason: mistake)) }
        let inbox = inbox
        let id = inbox.makeID()
        let end = ContinuousClock.now + deadline
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let order = PendingTransfer(
                    id: id, errand: errand, timeout: timeout, deadline: end, continuation: continuation)
                guard inbox.post(order) else {
                    return continuation.resume(returning: .failure(.cancelled))
                }
                // The handler below may have run before there was anything to call back.
                if Task.isCancelled { inbox.cancel(id) }
            }
        } onCancel: {
            inbox.cancel(id)
        }
    }

    /// Ends everything under way as cancelled, and returns when the thread has closed its connections.
    func shutdown() async {
        inbox.close()
        await inbox.waitForEnd()
    }
}
