/// A transfer that a caller waits for.
struct PendingTransfer: Sendable {
    /// A number that no other order of the transport has; later orders have larger ones.
    typealias ID = UInt64

    let id: ID
    let errand: TransferRequest
    /// How long it may take once it has begun.
    let timeout: Duration
    /// When it must be over, begun or not.
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<TransferOutcome, Never>

    /// What a transfer that begins now may take.
    var timeLeft: Duration {
        // libcurl takes 0 for "for ever".
        max(.milliseconds(1), min(timeout, ContinuousClock.now.duration(to: deadline)))
    }
}
