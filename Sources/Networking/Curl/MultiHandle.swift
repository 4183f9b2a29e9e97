import CCurl

/// The owner of libcurl's multi handle, its running transfers and their connections.
///
/// It belongs to the thread of `CurlEventLoop`.
final class MultiHandle {
    private let raw: UnsafeMutableRawPointer

    // Swift initializes a static constant once, on one thread: `curl_global_init` runs once per process.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Creates a handle (`curl_multi_init`) that keeps so many idle connections for reuse.
    init(connections: Int) {
        precondition(Self.libcurl == CURLE_OK, "curl_global_init: \(Self.libcurl.rawValue)")
        guard let raw = curl_multi_init() else { preconditionFailure("curl_multi_init: out of memory") }
        self.raw = raw
        // `HostConnectionLimiter` limits transfers: libcurl's own limit would make them wait without a timeout.
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

    /// Lets libcurl read, write and time out what is due.
    func perform() {
        var running: Int32 = 0
        check(curl_multi_perform(raw, &running), "curl_multi_perform")
    }

    /// Returns the next completed transfer and its result; nil if there is none.
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

    /// Waits until libcurl has something to do, the ``waker`` was called, or `time` has passed.
    func wait(atMost time: Duration) {
        check(curl_multi_poll(raw, nil, 0, time.milliseconds, nil), "curl_multi_poll")
    }

    private func check(_ code: CURLMcode, _ function: StaticString) {
        precondition(code == CURLM_OK, "\(function): \(code.rawValue)")
    }
}

extension MultiHandle {
    /// Ends the handle's wait, from any thread while the handle lives.
    ///
    /// `@unchecked Sendable` is sound: `curl_multi_wakeup` may be called from any thread.
    struct Waker: @unchecked Sendable {
        fileprivate let raw: UnsafeMutableRawPointer

        func wake() {
            // Fails only if the wait is about to end anyway.
            curl_multi_wakeup(raw)
        }
    }

    var waker: Waker { Waker(raw: raw) }
}

extension Duration {
    /// The duration in milliseconds for libcurl: rounded up, so that no wait ends early, and never negative.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = max(.zero, min(self, .milliseconds(Int32.max))).components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
