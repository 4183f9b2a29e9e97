import CCurl
import CLibc
import Glibc

/// The owner of libcurl's multi handle, its running transfers and their connections.
///
/// It waits with epoll(7) and reports the ready sockets to libcurl (`curl_multi_socket_action`), because libcurl's own
/// wait scans all sockets each time.
///
/// It belongs to the thread of `CurlEventLoop`.
final class MultiHandle {
    private let raw: UnsafeMutableRawPointer
    private let poll: Int32
    /// The descriptor of the loop's wakeup queue, which ends a wait.
    private let wakeupDescriptor: Int32
    /// The time at which libcurl asked to be called.
    private var timer: ContinuousClock.Instant?
    /// Buffer for the ready sockets of the last wait; the first `readyCount` are valid.
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    private var readyCount = 0

    // Swift initializes a static constant once, on one thread: `curl_global_init` runs once per process.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Creates a handle (`curl_multi_init`).
    ///
    /// - Parameters:
    /// - connections: Maximum number of idle connections kept for reuse.
    /// - wakeupDescriptor: A descriptor that ends a wait when it is readable.
    init(connections: Int, wakeupDescriptor: Int32) {
        precondition(Self.libcurl == CURLE_OK, "curl_global_init: \(Self.libcurl.rawValue)")
        guard let raw = curl_multi_init() else { preconditionFailure("curl_multi_init: out of memory") }
        self.raw = raw
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(poll >= 0, "epoll_create1: \(errno)")
        self.wakeupDescriptor = wakeupDescriptor
        watch(wakeupDescriptor, for: EPOLLIN.rawValue)
        let context = Unmanaged.passUnretained(self).toOpaque()
        check(marquee_curl_multi_set_socket(raw, socketChanged, context), "curl_multi_setopt")
        check(marquee_curl_multi_set_timer(raw, timerChanged, context), "curl_multi_setopt")
        // `HostConnectionLimiter` limits transfers: libcurl's own limit would make them wait without a timeout.
        check(marquee_curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections), "curl_multi_setopt")
    }

    deinit {
        // Cleanup closes sockets; the callbacks must not see them.
        marquee_curl_multi_set_socket(raw, nil, nil)
        marquee_curl_multi_set_timer(raw, nil, nil)
        curl_multi_cleanup(raw)
        close(poll)
    }

    func add(_ easy: borrowing EasyHandle) {
        check(curl_multi_add_handle(raw, easy.raw), "curl_multi_add_handle")
    }

    func remove(_ easy: borrowing EasyHandle) {
        check(curl_multi_remove_handle(raw, easy.raw), "curl_multi_remove_handle")
    }

    /// Lets libcurl handle the sockets that the last wait found ready, and its timer.
    func perform() {
        var running: Int32 = 0
        for event in events.prefix(readyCount) where event.data.fd != wakeupDescriptor {
            let action = curl_multi_socket_action(raw, event.data.fd, Self.action(event.events), &running)
            check(action, "curl_multi_socket_action")
        }
        readyCount = 0
        guard let due = timer, due <= .now else { return }
        timer = nil
        check(curl_multi_socket_action(raw, CURL_SOCKET_TIMEOUT, 0, &running), "curl_multi_socket_action")
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

    /// Waits until a socket is ready, libcurl's timer fires, or `time` has passed. Returns whether the wakeup
    /// descriptor is readable.
    func wait(atMost time: Duration) -> Bool {
        let wait = timer.map { min(time, ContinuousClock.now.duration(to: $0)) } ?? time
        // An interrupted wait counts as a wait that found nothing.
        readyCount = max(0, Int(epoll_wait(poll, &events, Int32(events.count), wait.milliseconds)))
        return events.prefix(readyCount).contains { $0.data.fd == wakeupDescriptor }
    }

    /// Watches a socket for the events that libcurl asks for; `CURL_POLL_REMOVE` for none.
    fileprivate func watch(_ socket: curl_socket_t, what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            // Fails if the socket is already closed, which has removed it.
            epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil)
            return
        }
        let input = what & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0
        let output = what & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0
        watch(socket, for: input | output)
    }

    private func watch(_ descriptor: Int32, for events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.fd = descriptor
        if epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0 { return }
        // The descriptor is registered already; change its events.
        let status = epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event)
        precondition(status == 0, "epoll_ctl: \(errno)")
    }

    /// Sets the time at which libcurl wants to be called; a negative value for never.
    fileprivate func setTimer(milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    /// Translates epoll's events to libcurl's.
    private static func action(_ events: UInt32) -> Int32 {
        // libcurl reads the error of a broken connection itself.
        let isBroken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        return (isBroken || events & EPOLLIN.rawValue != 0 ? CURL_CSELECT_IN : 0)
            | (isBroken || events & EPOLLOUT.rawValue != 0 ? CURL_CSELECT_OUT : 0)
    }

    private func check(_ code: CURLMcode, _ function: StaticString) {
        precondition(code == CURLM_OK, "\(function): \(code.rawValue)")
    }
}

// Callbacks. libcurl calls them on the loop's thread, from within the functions above.

private func socketChanged(
    easy: UnsafeMutableRawPointer?, socket: curl_socket_t, what: Int32, context: UnsafeMutableRawPointer?,
    socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return -1 }
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().watch(socket, what: what)
    return 0
}

private func timerChanged(multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?)
    -> Int32
{
    guard let context else { return -1 }
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}

extension Duration {
    /// The duration in milliseconds for libcurl: rounded up, so that no wait ends early, and never negative.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = max(.zero, min(self, .milliseconds(Int32.max))).components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
