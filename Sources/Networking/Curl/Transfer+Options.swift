import CCurl
import FoundationEssentials
import Glibc
import Text

extension Transfer {
    /// Sets the options for an HTTP request.
    func setOptions(_ request: HTTPRequest) {
        setCommonOptions()
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

    /// Sets the options that all transfers share: callbacks, timeouts, and no proxy.
    func setCommonOptions() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_PRIVATE, to: context)
        // Never use the proxy of an `*_proxy` variable: it would see keys sent over plain HTTP, and the address check
        // would see the proxy's address instead of the server's.
        easy.set(CURLOPT_PROXY, to: "")
        // By default OpenSSL offers TLS 1.0 and 1.1, too, which RFC 8996 forbids.
        easy.set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))

        // No signals: the resolver thread handles the timeout of name resolution.
        easy.set(CURLOPT_NOSIGNAL, to: 1)
        easy.set(CURLOPT_TIMEOUT_MS, to: Int(pending.timeLeft.milliseconds))
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

// libcurl calls these on the loop's thread from within `MultiHandle.perform`. They are free functions because a closure
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
    guard let context, let target = address?.pointee else { return -1 }
    let allowed = withUnsafeBytes(of: target.addr) { Transfer.at(context).allows(IPAddress($0)) }
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

// MARK: - Mail

extension Transfer {
    /// Sets the options for a mail.
    func setOptions(_ mail: MailRequest) {
        setCommonOptions()
        // libcurl takes the name for its greeting from the path; without one it is this machine's, which in a container is
        // no domain, and which servers refuse (RFC 5321, 4.1.4).
        easy.set(CURLOPT_URL, to: "\(mail.url)/\(mail.greetingName.percentEncoded)")
        easy.set(CURLOPT_PROTOCOLS_STR, to: "smtp,smtps")
        // CURLUSESSL_ALL fails without TLS: an attacker on the way could remove STARTTLS from the server's greeting.
        let security = mail.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        easy.set(CURLOPT_USE_SSL, to: Int(security.rawValue))
        if let certificateFile = mail.certificateFile { easy.set(CURLOPT_CAINFO, to: certificateFile) }
        if let user = mail.user { easy.set(CURLOPT_USERNAME, to: user) }
        if let password = mail.password { easy.set(CURLOPT_PASSWORD, to: password) }
        easy.set(CURLOPT_MAIL_FROM, to: "<\(mail.sender)>")
        easy.set(CURLOPT_MAIL_RCPT, toList: mail.recipients.map { "<\($0)>" })
        // By default one refused recipient costs all others the mail.
        easy.set(CURLOPT_MAIL_RCPT_ALLLOWFAILS, to: 1)
        // Mails are rare: the server would have closed a kept connection by the next one.
        easy.set(CURLOPT_FORBID_REUSE, to: 1)

        easy.set(CURLOPT_UPLOAD, to: 1)
        easy.set(CURLOPT_INFILESIZE_LARGE, toOffset: mail.message.count)
        easy.set(CURLOPT_READFUNCTION, to: sendMessage)
        easy.set(CURLOPT_READDATA, to: Unmanaged.passUnretained(self).toOpaque())
    }
}

/// libcurl calls this for the next part of the message.
private func sendMessage(
    buffer: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    return Transfer.at(context).readMessage(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}
