import CCurl
import FoundationEssentials

/// One attempt under way: the easy handle, and what has come in so far.
///
/// It belongs to the thread of `CurlEventLoop`, and is part of the multi handle from `init` to `deinit`. The easy handle
/// hands it to the callbacks unretained: they run in `MultiHandle.perform` only, while the loop holds it.
final class Transfer {
    let order: PendingTransfer
    private let multi: MultiHandle
    var easy = EasyHandle()
    private let isPublic: @Sendable (IPAddress) -> Bool

    private var headers: [HTTPField] = []
    private var headerBytes = 0
    /// What a mail server said, line by line.
    private var replies: [Data] = []
    private var body = Data()
    /// What of a mail's message has not been handed over yet.
    private var unsent: ArraySlice<UInt8> = []
    /// Why the transfer was ended from our side, if it was.
    private var refusal: TransferError?

    init(_ order: PendingTransfer, on multi: MultiHandle, isPublic: @escaping @Sendable (IPAddress) -> Bool) {
        self.order = order
        self.multi = multi
        self.isPublic = isPublic
        switch order.errand {
        case .http(let request): setOptions(request)
        case .mail(let mail):
            unsent = mail.message[...]
            setOptions(mail)
        }
        multi.add(easy)
    }

    deinit {
        multi.remove(easy)
    }

    /// The transfer that a callback's or a message's pointer stands for.
    static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    /// What became of it, once libcurl has ended it with `code`.
    func outcome(_ code: CURLcode) -> TransferOutcome {
        switch order.errand {
        case .http where code == CURLE_OK:
            return .success(HTTPResponse(status: easy.status, headers: headers, body: body))
        case .mail where code == CURLE_OK || easy.status >= 400:
            // A refusal is an answer, too; libcurl makes a failure of it.
            return .success(HTTPResponse(status: easy.status, body: lastReply))
        case .http, .mail: break
        }
        return .failure(refusal ?? TransferError(code, easy.explanation(of: code)))
    }

    /// Takes the next bytes of the body; false ends the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= order.errand.responseLimit else {
            refusal = .tooLarge(limit: order.errand.responseLimit)
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Takes a line of the head; false ends the transfer.
    func receive(header line: UnsafeRawBufferPointer) -> Bool {
        // All heads of the transfer together: libcurl of this age takes any number of lines.
        headerBytes += line.count
        guard headerBytes <= Self.headerLimit else {
            refusal = TransferError(kind: .invalid, reason: "the headers are longer than \(Self.headerLimit) bytes")
            return false
        }
        if case .mail = order.errand {
            replies.append(Data(line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }))
        } else if line.starts(with: "HTTP/".utf8) {
            // Another answer begins: after a redirect, or after a status of 100…199.
            headers = []
            body = Data()
        } else if let header = HTTPField(line: line) {
            headers.append(header)
        }
        return true
    }

    /// The line of the reply that `easy.status` is the code of: after it there may be one about parting.
    private var lastReply: Data {
        replies.last { $0.starts(with: "\(easy.status)".utf8) } ?? Data()
    }

    /// Hands the next bytes of a mail over, as many as there is room for.
    func provide(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let piece = unsent.prefix(room.count)
        room.copyBytes(from: piece)
        unsent = unsent.dropFirst(piece.count)
        return piece.count
    }

    /// Whether the request may go to `address`; an address that can not be read is none to go to.
    func allows(_ address: IPAddress?) -> Bool {
        if let address, isPublic(address) {
            // Of a name's addresses one that may be used is enough.
            refusal = nil
            return true
        }
        let reason = "\(address?.description ?? "the address") is not an address of the public internet"
        refusal = TransferError(kind: .forbidden, reason: reason)
        return false
    }

    private static let headerLimit = 65_536
}
