import CCurl
import Compression
import Concurrency
import FoundationEssentials
import Glibc
import Text

/// A running attempt: the easy handle and the response received so far.
///
/// It belongs to the transport's thread. The easy handle passes it to the callbacks unretained: they run only in
/// `curl_multi_perform`, while the loop holds the transfer.
final class Transfer {
    let pending: PendingTransfer
    private let budget: ResponseBodyBudget
    var easy = EasyHandle()

    private var headers: [HTTPField] = []
    private var headerBytes = 0
    private var replies: [Data] = []
    private var body = Data()
    /// The part of a mail's message that has not been sent.
    var unsent: ArraySlice<UInt8> = []
    /// The reason why a callback aborted the transfer; nil if none did.
    private var abortReason: TransferError?

    init(_ pending: PendingTransfer, budget: ResponseBodyBudget) {
        self.pending = pending
        self.budget = budget
        setCommonOptions()
        if let request = pending.request as? HTTPRequest { setOptions(request) }
        if let mail = pending.request as? MailRequest { setOptions(mail) }
    }

    deinit {
        budget.total -= body.count
    }

    static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    func result(_ code: CURLcode) -> TransferResult {
        let limit = pending.request.responseLimit
        if pending.request is MailRequest {
            // A mail server's rejection is a reply too, but libcurl reports it as a failure. After a broken connection
            // the status is that of a recipient who was refused before.
            let isRejection = easy.status >= 400 && code != CURLE_OPERATION_TIMEDOUT && code != CURLE_RECV_ERROR
            if code == CURLE_OK || isRejection {
                return .success(HTTPResponse(status: easy.status, body: Data(replies.joined(separator: "\n".utf8))))
            }
        } else if [CURLE_OK, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR].contains(code) {
            // The bytes decide: some services get the label wrong.
            let content =
                Gzip.isCompressed(body) ? Gzip.decompress(Array(body), limit: limit).map { Data($0) } : body
            // JSON shows by itself where it ends, whatever length was announced.
            if code == CURLE_OK || content?.isWholeJSON == true {
                guard let content else {
                    let reason = "the compressed response is damaged, or its content is longer than \(limit) bytes"
                    return .failure(TransferError(kind: .invalid, reason: reason))
                }
                return .success(
                    HTTPResponse(status: easy.status, headers: headers, body: content, redirect: easy.redirect))
            }
        }
        return .failure(abortReason ?? TransferError(code, easy.explanation(of: code)))
    }

    /// Appends bytes to the body; false aborts the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= pending.request.responseLimit else {
            abortReason = TransferError(
                kind: .invalid, reason: "the response body is longer than \(pending.request.responseLimit) bytes")
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
        if pending.request is MailRequest {
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
        if let request = pending.request as? HTTPRequest, let address,
            address.isPublic || address == request.exemptAddress
        {
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

// MARK: - Options

extension Transfer {
    private func setOptions(_ request: HTTPRequest) {
        easy.set(CURLOPT_URL, to: request.address)
        easy.set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        easy.set(CURLOPT_REDIR_PROTOCOLS_STR, to: "http,https")
        // This also rejects redirects that contain a user name and a password.
        easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
        // HTTP/1.1 uses one connection per request, so a stalled response delays no other.
        easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_ACCEPT_ENCODING, to: "gzip")
        // `Transfer` decompresses: libcurl goes by the label, which some services get wrong.
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, to: 0)
        if let certificateFile = request.certificateFile { easy.set(CURLOPT_CAINFO, to: certificateFile) }
        let redirects = request.redirectsFollowed
        easy.set(CURLOPT_FOLLOWLOCATION, to: redirects > 0 ? 1 : 0)
        easy.set(CURLOPT_MAXREDIRS, to: redirects)
        if request.addressPolicy == .publicAddressesOnly {
            let context = Unmanaged.passUnretained(self).toOpaque()
            easy.setAddressChecks(openSocket: openSocket, beforeRequest: checkPeer, context: context)
        }
        setContent(of: request)
    }

    private func setCommonOptions() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_PRIVATE, to: context)
        // Never use the proxy of an `*_proxy` variable: it would see keys sent over plain HTTP, and the address check
        // would see the proxy's address instead of the server's.
        easy.set(CURLOPT_PROXY, to: "")
        // By default OpenSSL offers TLS 1.0 and 1.1, too, which RFC 8996 forbids.
        easy.set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))

        // No signals: the resolver thread handles the timeout of name resolution.
        easy.set(CURLOPT_NOSIGNAL, to: 1)
        easy.set(CURLOPT_TIMEOUT_MS, to: pending.timeLeft.milliseconds)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, to: 5_000)
        // Without this option, cancelling a transfer during name resolution blocks the loop until the resolver thread
        // ends (ten seconds if the name server does not respond). With it, the resolver thread ends by itself and frees
        // its memory.
        easy.set(CURLOPT_QUICK_EXIT, to: 1)

        easy.set(CURLOPT_WRITEFUNCTION, to: receiveBody)
        easy.set(CURLOPT_WRITEDATA, to: context)
        easy.set(CURLOPT_HEADERFUNCTION, to: receiveHeader)
        easy.set(CURLOPT_HEADERDATA, to: context)
    }

    private func setContent(of request: HTTPRequest) {
        // By default libcurl waits for "100 Continue" before a long body, and labels every body as a form.
        var lines = ["Expect:"]
        if request.form.isEmpty, !request.hasHeader("Content-Type") { lines.append("Content-Type:") }
        if !request.hasHeader("User-Agent") { lines.append("User-Agent: marquee") }
        // libcurl reads "Name:" as "omit this header"; an empty header is written "Name;".
        lines += request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        easy.set(CURLOPT_HTTPHEADER, toList: lines)

        switch request.method {
        case .get: break
        case .head: easy.set(CURLOPT_NOBODY, to: 1)
        case .post, .put, .patch, .delete:
            if request.form.isEmpty {
                easy.setBody(request.body ?? Data())
            } else {
                easy.setForm(request.form)
            }
            easy.set(CURLOPT_CUSTOMREQUEST, to: request.method.rawValue)
        }
        if !request.method.isIdempotent {
            // libcurl repeats a request by itself if a kept connection turns out to be closed; a non-idempotent one
            // must not be repeated.
            easy.set(CURLOPT_FRESH_CONNECT, to: 1)
        }
    }
}

// libcurl calls these on the loop's thread from within `curl_multi_perform`. They are free functions because a closure
// would inherit the isolation of its context.

private func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.at(context).receive(body: bytes) ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
}

private func receiveHeader(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.at(context).receive(header: line) ? line.count : Int(CURL_WRITEFUNC_ERROR)
}

/// Checks the address before connecting: no packet goes to a private one.
private func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
    let target = address.pointee
    // `addr` is declared with the length of an IPv4 address; one of IPv6 goes on behind it.
    let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + offset, count: Int(target.addrlen))
    let allowed = Transfer.at(context).allows(IPAddress(bytes))
    return allowed ? socket(target.family, target.socktype | Int32(SOCK_CLOEXEC.rawValue), target.protocol) : -1
}

/// Checks the peer before each request, because another request may have opened a kept connection to a private address.
private func checkPeer(
    context: UnsafeMutableRawPointer?, peer: UnsafeMutablePointer<CChar>?, own: UnsafeMutablePointer<CChar>?,
    peerPort: Int32, ownPort: Int32
) -> Int32 {
    guard let context, let peer else { return CURL_PREREQFUNC_ABORT }
    let allowed = Transfer.at(context).allows(IPAddress(String(cString: peer)))
    return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

// MARK: - Easy handle

/// The only owner of a libcurl easy handle and of the memory that the handle points to.
struct EasyHandle: ~Copyable {
    /// The handle; functions of this folder must not keep it.
    let raw: UnsafeMutableRawPointer
    // The handle writes its errors here until it is cleaned up.
    private let errorText: UnsafeMutablePointer<CChar>
    // The handle reads its headers, and a mail's recipients, from here until it is cleaned up.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    // The handle sends its form from here until it is cleaned up.
    private var form: OpaquePointer?

    init() {
        guard let raw = curl_easy_init() else { preconditionFailure("curl_easy_init: out of memory") }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, to: errorText)
    }

    deinit {
        curl_easy_cleanup(raw)
        for list in lists { curl_slist_free_all(list) }
        curl_mime_free(form)
        errorText.deallocate()
    }

    func explanation(of code: CURLcode) -> String {
        errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
    }

    // Setting an option fails only if the option is unknown or has another type (a bug here), or memory is exhausted.

    func set(_ option: CURLoption, to value: Int) {
        check(marquee_curl_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, toOffset value: Int) {
        check(marquee_curl_set_offset(raw, option, curl_off_t(value)), option)
    }

    func set(_ option: CURLoption, to value: String) {
        check(marquee_curl_set_text(raw, option, value), option)
    }

    func set(_ option: CURLoption, to value: UnsafeRawPointer?) {
        check(marquee_curl_set_pointer(raw, option, value), option)
    }

    func set(_ option: CURLoption, to value: @escaping marquee_curl_sink) {
        check(marquee_curl_set_sink(raw, option, value), option)
    }

    mutating func set(_ option: CURLoption, toList texts: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for text in texts {
            guard let longer = curl_slist_append(list, text) else {
                preconditionFailure("curl_slist_append: out of memory")
            }
            list = longer
        }
        if let list { lists.append(list) }
        check(marquee_curl_set_list(raw, option, list), option)
    }

    func setBody(_ body: Data) {
        // An empty array has no address, and libcurl reads a null pointer as "the body comes from a callback".
        let bytes = body.isEmpty ? [0] : Array(body)
        set(CURLOPT_POSTFIELDSIZE_LARGE, toOffset: body.count)
        set(CURLOPT_COPYPOSTFIELDS, to: bytes)
    }

    /// Sets the form that is sent instead of a body; the handle copies its bytes.
    mutating func setForm(_ parts: [MultipartPart]) {
        guard let form = curl_mime_init(raw) else { preconditionFailure("curl_mime_init: out of memory") }
        self.form = form
        for part in parts {
            guard let field = curl_mime_addpart(form) else { preconditionFailure("curl_mime_addpart: out of memory") }
            check(curl_mime_name(field, part.name), CURLOPT_MIMEPOST)
            check(curl_mime_type(field, part.contentType), CURLOPT_MIMEPOST)
            if let fileName = part.fileName { check(curl_mime_filename(field, fileName), CURLOPT_MIMEPOST) }
            let bytes = part.content.isEmpty ? [0] : Array(part.content)
            check(curl_mime_data(field, bytes, part.content.count), CURLOPT_MIMEPOST)
        }
        set(CURLOPT_MIMEPOST, to: UnsafeRawPointer(form))
    }

    /// Sets the callbacks that open sockets and that check the peer's address before each request.
    func setAddressChecks(
        openSocket: @escaping curl_opensocket_callback, beforeRequest: @escaping curl_prereq_callback,
        context: UnsafeMutableRawPointer
    ) {
        check(marquee_curl_set_open_socket(raw, openSocket), CURLOPT_OPENSOCKETFUNCTION)
        set(CURLOPT_OPENSOCKETDATA, to: context)
        check(marquee_curl_set_before_request(raw, beforeRequest), CURLOPT_PREREQFUNCTION)
        set(CURLOPT_PREREQDATA, to: context)
    }

    /// The status of the last HTTP response; for mail, the code of the last reply before the one to QUIT.
    var status: Int {
        var status = 0
        marquee_curl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Whether bytes of an HTTP request were sent, over whichever connection.
    var hasSent: Bool {
        var size = 0
        marquee_curl_get_long(raw, CURLINFO_REQUEST_SIZE, &size)
        return size > 0
    }

    /// The URL to which the last response redirects, unless that is followed.
    var redirect: String? {
        var url: UnsafePointer<CChar>?
        marquee_curl_get_text(raw, CURLINFO_REDIRECT_URL, &url)
        return url.map { String(cString: $0) }
    }

    private func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(code == CURLE_OK, "curl_easy_setopt(\(option.rawValue)): \(code.rawValue)")
    }
}
