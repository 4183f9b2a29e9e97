import CCurl

/// The owner of libcurl's multi handle: the transfers that are running, and the connections they use.
///
/// `@unchecked Sendable` is sound because everything but `wakeUp` is called on the one thread of `TransferLoop` alone:
/// the only other holder is `TransferInbox`, which calls nothing else. libcurl allows `curl_multi_wakeup` from any
/// thread while the handle lives, and it lives as long as there is a reference to call it through. `raw` never changes.
final class MultiHandle: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer

    // `curl_global_init` once in the life of the process; a constant of a type is initialized once, by one thread.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Makes a handle (`curl_multi_init`) that keeps at most `connections` open for reuse.
    init(connections: Int) {
        precondition(Self.libcurl == CURLE_OK, "curl_global_init: \(Self.libcurl.rawValue)")
        guard let raw = curl_multi_init() else { preconditionFailure("curl_multi_init: out of memory") }
        self.raw = raw
        // The limits of requests are those of `Places`: libcurl's own would hold transfers back without a timeout.
        check(marquee_curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections), "curl_multi_setopt")
    }

    deinit {
        curl_multi_cleanup(raw)
    }

    func add(_ easy: borrowing EasyHandle) {
        check(curl_multi_add_handle(raw, easy.raw), "curl_multi_add_handle")
    }

    func remove(_ easy: borrowing EasyHandle) {
        check(curl_multi_remove_handle(raw, easy.raw), "curl_multi_remove_handle")
    }

    /// Does what can be done without waiting.
    func perform() {
        var running: Int32 = 0
        check(curl_multi_perform(raw, &running), "curl_multi_perform")
    }

    /// The next transfer that has ended, and how.
    func nextEnded() -> (Transfer, CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            marquee_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            if let context { return (Transfer.at(context), message.pointee.data.result) }
        }
        return nil
    }

    /// Waits until there is something to do, `wakeUp` is called, or the time is over.
    func wait(atMost time: Duration) {
        check(curl_multi_poll(raw, nil, 0, time.milliseconds, nil), "curl_multi_poll")
    }

    /// Ends the present or else the next `wait`. From any thread.
    func wakeUp() {
        check(curl_multi_wakeup(raw), "curl_multi_wakeup")
    }

    private func check(_ code: CURLMcode, _ function: StaticString) {
        precondition(code == CURLM_OK, "\(function): \(code.rawValue)")
    }
}

extension Duration {
    /// The whole milliseconds as libcurl takes them: rounded up, so that no wait ends before its time, and never
    /// negative.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = max(.zero, min(self, .milliseconds(Int32.max))).components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
