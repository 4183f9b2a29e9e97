import CCurl
import Compression
import FoundationEssentials

/// A running attempt: the easy handle and the response received so far.
///
/// It belongs to the thread of `CurlEventLoop` and is part of the multi handle from `init` to `deinit`. The easy handle
/// passes it to the callbacks unretained: they run only in `MultiHandle.perform`, while the loop holds the transfer.
final class Transfer {
    let pending: PendingTransfer
    private let multi: MultiHandle
    private let budget: ResponseBodyBudget
    var easy = EasyHandle()
    private let isPublic: @Sendable (IPAddress) -> Bool

    private var headers: [HTTPField] = []
    private var headerBytes = 0
    /// A mail server's replies, line by line.
    private var replies: [Data] = []
    private var body = Data()
    /// The part of a mail's message that has not been sent.
    private var unsent: ArraySlice<UInt8> = []
    /// The reason why a callback aborted the transfer; nil if none did.
    private var abortReason: TransferError?

    init(
        _ pending: PendingTransfer, on multi: MultiHandle, budget: ResponseBodyBudget,
        isPublic: @escaping @Sendable (IPAddress) -> Bool
    ) {
        self.pending = pending
        self.multi = multi
        self.budget = budget
        self.isPublic = isPublic
        switch pending.request {
        case .http(let request): setOptions(request)
        case .mail(let mail):
            unsent = mail.message[...]
            setOptions(mail)
        }
        multi.add(easy)
    }

    deinit {
        multi.remove(easy)
        budget.total -= body.count
    }

    /// Returns the transfer for the context pointer of a callback or message.
    static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    /// Returns the transfer's result once libcurl has ended it with `code`.
    func outcome(_ code: CURLcode) -> TransferOutcome {
        switch pending.request {
        case .http(let request):
            let isCut = code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR
            guard code == CURLE_OK || isCut else { break }
            let content = content(limit: request.responseLimit)
            // JSON shows by itself where it ends, whatever length was announced.
            if isCut, content?.isWholeJSON != true { break }
            guard let content else { return .failure(.damaged(limit: request.responseLimit)) }
            let response = HTTPResponse(
                status: easy.status, headers: headers, body: content, redirect: easy.redirect)
            return .success(response)
        // The status is that of a recipient who was refused before the connection ended.
        case .mail where code == CURLE_OPERATION_TIMEDOUT || code == CURLE_RECV_ERROR: break
        case .mail where code == CURLE_OK || easy.status >= 400:
            // A mail server's rejection is a reply too, but libcurl reports it as a failure.
            return .success(HTTPResponse(status: easy.status, body: Data(replies.joined(separator: "\n".utf8))))
        case .mail: break
        }
        return .failure(abortReason ?? TransferError(code, easy.explanation(of: code)))
    }

    /// The body, decompressed if its bytes are compressed, whatever the label; nil if they are damaged or have too much
    /// content.
    private func content(limit: Int) -> Data? {
        var content = body
        // Proxies compress what is compressed already.
        for _ in 1...2 where Gzip.isCompressed(content) {
            let packed = Array(content)
            // JSON shows by itself where it ends.
            let inner =
                Gzip.decompress(packed, limit: limit).map { Data($0) }
                ?? Gzip.decompress(packed, limit: limit, mayBeCut: true).map { Data($0) }.flatMap {
                    $0.isWholeJSON ? $0 : nil
                }
            guard let inner else { return nil }
            content = inner
        }
        return content
    }

    /// Appends bytes to the body; false aborts the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= pending.request.responseLimit else {
            abortReason = .tooLarge(limit: pending.request.responseLimit)
            return false
        }
        guard budget.total == body.count || bytes.count <= budget.limit - budget.total else {
            abortReason = TransferError(
                kind: .quotaExhausted, reason: "all responses together are longer than \(budget.limit) bytes")
            return false
        }
        budget.total += bytes.count
        body.append(contentsOf: bytes)
        return true
    }

    /// Reads a header line; false aborts the transfer.
    func receive(header line: UnsafeRawBufferPointer) -> Bool {
        // Counts the headers of all responses of the transfer: this version of libcurl does not limit their number.
        headerBytes += line.count
        guard headerBytes <= Self.headerLimit else {
            abortReason = TransferError(
                kind: .invalid, reason: "the response headers are longer than \(Self.headerLimit) bytes")
            return false
        }
        if case .mail = pending.request {
            replies.append(Data(line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }))
        } else if line.starts(with: "HTTP/".utf8) {
            // Another response begins: after a redirect, or after a status of 100…199.
            headers = []
            budget.total -= body.count
            body = Data()
        } else if let header = HTTPField(line: line) {
            headers.append(header)
        }
        return true
    }

    /// Copies the next bytes of the mail into `buffer` and returns their number; 0 at the end.
    func readMessage(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = unsent.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        unsent = unsent.dropFirst(piece.count)
        return piece.count
    }

    /// Whether the request can connect to `address`; false for an address that cannot be read.
    func allows(_ address: IPAddress?) -> Bool {
        if let address, isPublic(address) {
            // One permitted address of a name is enough.
            abortReason = nil
            return true
        }
        let reason = "\(address?.description ?? "the address") is not a public internet address"
        abortReason = TransferError(kind: .forbidden, reason: reason)
        return false
    }

    private static let headerLimit = 65_536
}

/// The bytes of the bodies of all running transfers, on the loop's thread.
final class ResponseBodyBudget {
    let limit: Int
    var total = 0

    init(limit: Int) {
        self.limit = limit
    }
}
