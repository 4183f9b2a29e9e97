/// Performs single HTTP and mail transfers with libcurl on a thread of its own.
///
/// It enforces the limits per host, deadlines and cancellation; services, retries and sharing are the callers'
/// business. Every `perform` returns: with a response, at its deadline, when its task is cancelled, or at shutdown.
final class Transport: Sendable {
    private let queue: TransferQueue

    init(limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool) {
        queue = CurlEventLoop.start(limits: limits, isPublic: isPublic)
    }

    deinit {
        queue.close()
    }

    /// Performs a transfer.
    ///
    /// - Parameters:
    /// - request: The request or mail to send.
    /// - timeout: The time that the transfer can take once it has started.
    /// - deadline: The time that waiting for a connection and the transfer can take together.
    func perform(_ request: TransferRequest, timeout: Duration, deadline: Duration) async -> TransferOutcome {
        if let reason = request.validationError { return .failure(TransferError(kind: .badRequest, reason: reason)) }
        let queue = queue
        let id = queue.makeID()
        let end = ContinuousClock.now + deadline
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let transfer = PendingTransfer(
                    id: id, request: request, timeout: timeout, deadline: end, continuation: continuation)
                guard queue.post(transfer) else {
                    return continuation.resume(returning: .failure(.cancelled))
                }
                // The handler below may have run before the transfer was in the queue.
                if Task.isCancelled { queue.cancel(id) }
            }
        } onCancel: {
            queue.cancel(id)
        }
    }

    /// Cancels all transfers and returns when the thread has closed its connections.
    func shutdown() async {
        queue.close()
        await queue.waitForEnd()
    }
}
