import CCurl
import FoundationEssentials
import Glibc

extension Transfer {
    /// Says what is wanted, and who is to be called.
    func setOptions(_ request: HTTPRequest) {
        setCommonOptions()
        easy.set(CURLOPT_URL, to: request.address)
        easy.set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        easy.set(CURLOPT_REDIR_PROTOCOLS_STR, to: "http,https")
        // Nor does a redirect make us present a name and a password.
        easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
        // One request a connection: a stalled answer holds up no other.
        easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_ACCEPT_ENCODING, to: "gzip")
        easy.set(CURLOPT_MAXFILESIZE_LARGE, toOffset: request.responseLimit)
        let redirects = request.redirectsFollowed
        easy.set(CURLOPT_FOLLOWLOCATION, to: redirects > 0 ? 1 : 0)
        easy.set(CURLOPT_MAXREDIRS, to: redirects)
        if request.reach == .publicAddressesOnly {
            let context = Unmanaged.passUnretained(self).toOpaque()
            easy.setGuards(openSocket: openSocket, beforeRequest: checkPeer, context: context)
        }
        setContent(of: request)
    }

    /// Says what is the same for every errand: where answers go, how long all may take, and what is never done.
    func setCommonOptions() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_PRIVATE, to: context)
        // Never through the proxy of an *_proxy variable: it would see keys sent by plain http, and the guard of
        // private addresses would look at the proxy's address instead of the server's.
        easy.set(CURLOPT_PROXY, to: "")

        // No signals: the timeout of a name look-up is the resolver thread's business.
        easy.set(CURLOPT_NOSIGNAL, to: 1)
        easy.set(CURLOPT_TIMEOUT_MS, to: Int(order.timeLeft.milliseconds))
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, to: 5_000)
        // Without it, giving up a transfer whose name is still being looked up waits for the resolver thread (ten
        // seconds, if the name server is silent), and all others with it. With it that thread is left to end by itself,
        // and frees what it has.
        easy.set(CURLOPT_QUICK_EXIT, to: 1)

        easy.set(CURLOPT_WRITEFUNCTION, to: receiveBody)
        easy.set(CURLOPT_WRITEDATA, to: context)
        easy.set(CURLOPT_HEADERFUNCTION, to: receiveHeader)
        easy.set(CURLOPT_HEADERDATA, to: context)
    }

    private func setContent(of request: HTTPRequest) {
        // Unless told, libcurl waits for leave to send a long body, and calls every body a form.
        var lines = ["Expect:"]
        if request.form.isEmpty, !request.hasHeader("Content-Type") { lines.append("Content-Type:") }
        if !request.hasHeader("User-Agent") { lines.append("User-Agent: marquee") }
        // For libcurl "Name:" means to leave a header out; an empty one is written with a semicolon.
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
            // libcurl repeats a request by itself if a kept connection turns out to be dead; these must not be.
            easy.set(CURLOPT_FRESH_CONNECT, to: 1)
        }
    }
}

// What libcurl calls, on the loop's thread, from within `MultiHandle.perform`. Free functions: a closure would carry
// the isolation of the place it is written in.

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

/// Before anything is sent to an address: a private one gets no packet from us.
private func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let target = address?.pointee else { return -1 }
    let allowed = withUnsafeBytes(of: target.addr) { Transfer.at(context).allows(IPAddress($0)) }
    return allowed ? socket(target.family, target.socktype | Int32(SOCK_CLOEXEC.rawValue), target.protocol) : -1
}

/// Before each request, on kept connections as well: those another request was free to open to a private address.
private func checkPeer(
    context: UnsafeMutableRawPointer?, peer: UnsafeMutablePointer<CChar>?, own: UnsafeMutablePointer<CChar>?,
    peerPort: Int32, ownPort: Int32
) -> Int32 {
    guard let context, let peer else { return CURL_PREREQFUNC_ABORT }
    let allowed = Transfer.at(context).allows(IPAddress(String(cString: peer)))
    return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
