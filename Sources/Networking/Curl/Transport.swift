import CCurl
import Concurrency

/// Performs single HTTP and mail transfers with libcurl on a thread of its own.
///
/// It enforces the limits per host, deadlines and cancellation; services, retries and sharing are the callers'
/// business. Every `perform` returns: with a response, at its deadline, when its task is cancelled, or at shutdown.
final class Transport: Sendable {
    private let inbox = Locked(TransferLoop.Inbox())
    private let hasEnded = AsyncCondition(false)

    init(limits: HTTPClient.Limits) {
        let (inbox, hasEnded) = (inbox, hasEnded)
        do {
            try startThread {
                // The loop's deinitializer closes the connections; only then has the loop ended.
                TransferLoop(inbox, limits: limits).run()
                hasEnded.update { $0 = true }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    deinit {
        close()
    }

    func perform(_ request: any TransferRequest, timeout: Duration, deadline: Duration) async -> TransferResult {
        if let reason = request.validationError { return .failure(TransferError(kind: .badRequest, reason: reason)) }
        let end = ContinuousClock.now + deadline
        let id = inbox.withLock { inbox in
            inbox.lastID += 1
            return inbox.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let transfer = PendingTransfer(
                    id: id, request: request, host: request.origin, timeout: timeout, deadline: end,
                    continuation: continuation)
                let isPosted = inbox.withLock { inbox in
                    if !inbox.isClosing { inbox.transfers.append(transfer) }
                    inbox.wakeLoop()
                    return !inbox.isClosing
                }
                guard isPosted else { return continuation.resume(returning: .failure(.cancelled)) }
                // The handler below may have run before the transfer was posted.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    func shutdown() async {
        close()
        await hasEnded.waitIgnoringCancellation { $0 ? () : nil }
    }

    /// Cancels a transfer. A number that is unknown to the loop, or already complete, has no effect.
    private func cancel(_ id: PendingTransfer.ID) {
        inbox.withLock { inbox in
            inbox.cancelled.append(id)
            inbox.wakeLoop()
        }
    }

    private func close() {
        inbox.withLock { inbox in
            inbox.isClosing = true
            inbox.wakeLoop()
        }
    }
}

struct PendingTransfer: Sendable {
    /// A number that is unique in the transport.
    typealias ID = UInt64

    let id: ID
    let request: any TransferRequest
    let host: String
    /// The time that the transfer can take once it has started.
    let timeout: Duration
    /// The time at which the transfer fails if it is not complete, started or not.
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<TransferResult, Never>

    /// The timeout of the transfer if it starts now.
    var timeLeft: Duration {
        // libcurl reads 0 as "no timeout".
        max(.milliseconds(1), min(timeout, ContinuousClock.now.duration(to: deadline)))
    }
}

// MARK: - Loop

/// The event loop on the thread that owns libcurl's multi handle and every transfer.
///
/// Each iteration reads the inbox, runs libcurl, completes finished transfers, and starts waiting ones. It blocks only
/// to wait for the next event.
private final class TransferLoop {
    /// The work that callers on any thread have given to the loop.
    ///
    /// `@unchecked Sendable` is sound: `curl_multi_wakeup` may be called from any thread while the handle lives.
    struct Inbox: @unchecked Sendable {
        var transfers: [PendingTransfer] = []
        var cancelled: [PendingTransfer.ID] = []
        var isClosing = false
        var lastID: PendingTransfer.ID = 0
        /// The multi handle of the loop that reads this; nil while there is no loop.
        fileprivate var multi: UnsafeMutableRawPointer?

        func wakeLoop() {
            // Fails only if the wait is about to end anyway.
            if let multi { curl_multi_wakeup(multi) }
        }
    }

    // Swift initializes a static constant once, on one thread: `curl_global_init` runs once per process.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    private let inbox: Locked<Inbox>
    private let multi: UnsafeMutableRawPointer
    private let limits: HTTPClient.Limits
    private let bodyBudget: ResponseBodyBudget
    /// The transfers that wait for a connection, in order of arrival; the limits allow none of them to start.
    // Here and not in libcurl (`CURLMOPT_MAX_HOST_CONNECTIONS`): what waits there has no timeout.
    private var waiting: [PendingTransfer] = []
    private var running: [PendingTransfer.ID: Transfer] = [:]
    private var runningByHost: [String: Int] = [:]

    init(_ inbox: Locked<Inbox>, limits: HTTPClient.Limits) {
        precondition(Self.libcurl == CURLE_OK, "curl_global_init: \(Self.libcurl.rawValue)")
        guard let multi = curl_multi_init() else { preconditionFailure("curl_multi_init: out of memory") }
        self.inbox = inbox
        self.multi = multi
        self.limits = limits
        bodyBudget = ResponseBodyBudget(limit: limits.bodyBytes)
        // The idle connections that are kept for reuse.
        check(marquee_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limits.total), "curl_multi_setopt")
        inbox.withLock { $0.multi = multi }
    }

    deinit {
        // Under the lock, so that nobody wakes a handle that is gone.
        inbox.withLock { $0.multi = nil }
        curl_multi_cleanup(multi)
    }

    func run() {
        while runOnce() {
            let next = waiting.lazy.map(\.deadline).min()
            let pause = next.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60)
            check(curl_multi_poll(multi, nil, 0, Int32(clamping: pause.milliseconds), nil), "curl_multi_poll")
        }
    }

    private func runOnce() -> Bool {
        let work = inbox.withLock { inbox in
            defer { (inbox.transfers, inbox.cancelled) = ([], []) }
            return inbox
        }
        failExpired()
        for transfer in work.transfers { enqueue(transfer) }
        for id in work.cancelled { complete(id, .failure(.cancelled)) }
        if work.isClosing {
            for id in waiting.map(\.id) + Array(running.keys) { complete(id, .failure(.cancelled)) }
            return false
        }
        var count: Int32 = 0
        check(curl_multi_perform(multi, &count), "curl_multi_perform")
        while let message = curl_multi_info_read(multi, &count) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            marquee_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            guard let context else { continue }
            let transfer = Transfer.at(context)
            complete(transfer.pending.id, transfer.result(message.pointee.data.result))
        }
        return true
    }

    private func enqueue(_ transfer: PendingTransfer) {
        if canStart(transfer) {
            start(transfer)
        } else if waiting.count < limits.queueLength {
            waiting.append(transfer)
        } else {
            let reason = "\(limits.queueLength) requests are waiting already; the queue is full"
            transfer.continuation.resume(returning: .failure(TransferError(kind: .unavailable, reason: reason)))
        }
    }

    private func canStart(_ transfer: PendingTransfer) -> Bool {
        running.count < limits.total && runningByHost[transfer.host, default: 0] < limits.perHost
    }

    private func start(_ pending: PendingTransfer) {
        let transfer = Transfer(pending, budget: bodyBudget)
        running[pending.id] = transfer
        runningByHost[pending.host, default: 0] += 1
        check(curl_multi_add_handle(multi, transfer.easy.raw), "curl_multi_add_handle")
    }

    private func failExpired() {
        let now = ContinuousClock.now
        for transfer in waiting where transfer.deadline <= now {
            let reason =
                "no connection became free before the deadline (limits: \(limits.perHost) per host, \(limits.total) in total)"
            complete(transfer.id, .failure(TransferError(kind: .timeout, reason: reason)))
        }
    }

    /// Completes a transfer, if it is still known: the only function that resumes a caller and releases a transfer.
    private func complete(_ id: PendingTransfer.ID, _ result: TransferResult) {
        if let transfer = running.removeValue(forKey: id) {
            check(curl_multi_remove_handle(multi, transfer.easy.raw), "curl_multi_remove_handle")
            let host = transfer.pending.host
            runningByHost[host] = runningByHost[host] == 1 ? nil : runningByHost[host, default: 1] - 1
            let wasSent = transfer.easy.hasSent
            transfer.pending.continuation.resume(
                returning: result.mapError { error in
                    var error = error
                    error.wasSent = wasSent
                    return error
                })
            // The end of one lets at most one start; a host at its limit delays no other.
            if let index = waiting.firstIndex(where: canStart) { start(waiting.remove(at: index)) }
        } else if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index).continuation.resume(returning: result)
        }
    }

    private func check(_ code: CURLMcode, _ function: StaticString) {
        precondition(code == CURLM_OK, "\(function): \(code.rawValue)")
    }
}

// MARK: - Request

/// What a transfer sends: an HTTP request or a mail.
protocol TransferRequest: Sendable {
    /// The server, by which the limit per host counts.
    var origin: String { get }
    /// Why the request cannot be sent; nil if it can.
    var validationError: String? { get }
    /// Maximum size of the response body in bytes.
    var responseLimit: Int { get }
}

// MARK: - Result

/// The reason why a transfer failed.
struct TransferError: Error {
    let kind: UpstreamError.Kind
    let reason: String
    /// Whether a part of an HTTP request was sent, so that the service may have seen it.
    var wasSent = false
}

extension TransferError {
    init(_ code: CURLcode, _ explanation: String) {
        reason = Self.advice(code, explanation).map { "\(explanation); \($0)" } ?? explanation
        kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_URL_MALFORMAT: .badRequest
            // Not HTTP, a wrong length, or too many or disallowed redirects.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_TOO_MANY_REDIRECTS, CURLE_LOGIN_DENIED:
                .invalid
            case _ where Self.advice(code, explanation) != nil: .wrongAddress
            // Name resolution or connect failed, or the connection broke.
            default: .unavailable
            }
    }

    /// Returns what to do about a failure of TLS that does not pass by itself; nil for any other.
    private static func advice(_ code: CURLcode, _ explanation: String) -> String? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            "the server's certificate is not accepted: check the address, the server's certificate, and this machine's "
                + "clock and trusted authorities"
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
            "the trusted authorities cannot be read: install ca-certificates, or check the file that is configured"
        case CURLE_USE_SSL_FAILED: "the server does not encrypt: check the port and the kind of encryption"
        // OpenSSL's own errors are about the protocol; without one the connection broke, which passes.
        case CURLE_SSL_CONNECT_ERROR where explanation.contains("error:"), CURLE_SSL_CIPHER:
            "no common protocol: check the scheme and the port of the address, and the server's versions of TLS"
        default: nil
        }
    }

    static let cancelled = TransferError(kind: .cancelled, reason: "cancelled")
}

typealias TransferResult = Result<HTTPResponse, TransferError>
