import CCurl
import CLibc
import Glibc

/// The owner of libcurl's multi handle: the transfers that are running, and the connections they use.
///
/// It waits with epoll(7) and tells libcurl which connections something has come for (`curl_multi_socket_action`): left to
/// itself, libcurl looks at all of them each time.
///
/// It belongs to the thread of `CurlEventLoop`.
final class MultiHandle {
    private let raw: UnsafeMutableRawPointer
    private let poll: Int32
    /// What ends a wait whatever the transfers do: the descriptor of the loop's wakeup queue.
    private let alarm: Int32
    /// When libcurl wants to be called, whatever comes.
    private var timer: ContinuousClock.Instant?
    /// What the last wait has found: so many of these.
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    private var readyCount = 0

    // `curl_global_init` once in the life of the process; a constant of a type is initialized once, by one thread.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Makes a handle (`curl_multi_init`) that keeps at most `connections` open for reuse, and waits for `alarm`, too.
    init(connections: Int, alarm: Int32) {
        precondition(Self.libcurl == CURLE_OK, "curl_global_init: \(Self.libcurl.rawValue)")
        guard let raw = curl_multi_init() else { preconditionFailure("curl_multi_init: out of memory") }
        self.raw = raw
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(poll >= 0, "epoll_create1: \(errno)")
        self.alarm = alarm
        watch(alarm, for: EPOLLIN.rawValue)
        let context = Unmanaged.passUnretained(self).toOpaque()
        check(marquee_curl_multi_set_socket(raw, watchSocket, context), "curl_multi_setopt")
        check(marquee_curl_multi_set_timer(raw, noteTimer, context), "curl_multi_setopt")
        // The limits of requests are those of `HostConnectionLimiter`: libcurl's own would hold transfers back without a timeout.
        check(marquee_curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections), "curl_multi_setopt")
    }

    deinit {
        // Nobody is told of what the end closes.
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

    /// Does what the last wait has found to do.
    func perform() {
        var running: Int32 = 0
        for event in events.prefix(readyCount) where event.data.fd != alarm {
            let action = curl_multi_socket_action(raw, event.data.fd, Self.action(event.events), &running)
            check(action, "curl_multi_socket_action")
        }
        readyCount = 0
        guard let due = timer, due <= .now else { return }
        timer = nil
        check(curl_multi_socket_action(raw, CURL_SOCKET_TIMEOUT, 0, &running), "curl_multi_socket_action")
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

    /// Waits until there is something to do, or the time is over; returns whether the alarm is one reason.
    func wait(atMost time: Duration) -> Bool {
        let wait = timer.map { min(time, ContinuousClock.now.duration(to: $0)) } ?? time
        // Interrupted is no different from nothing ready.
        readyCount = max(0, Int(epoll_wait(poll, &events, Int32(events.count), wait.milliseconds)))
        return events.prefix(readyCount).contains { $0.data.fd == alarm }
    }

    /// Waits for what libcurl wants to know of a socket, `CURL_POLL_REMOVE` for nothing.
    fileprivate func watch(_ socket: curl_socket_t, what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            // Fails where the socket is closed, which has taken it out.
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
        // It is there, and something else is wanted now.
        let status = epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event)
        precondition(status == 0, "epoll_ctl: \(errno)")
    }

    /// Notes when libcurl wants to be called; a negative time for never.
    fileprivate func setTimer(milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    /// What has come, in libcurl's words.
    private static func action(_ events: UInt32) -> Int32 {
        // Of a broken connection libcurl reads the reason by itself.
        let isBroken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        return (isBroken || events & EPOLLIN.rawValue != 0 ? CURL_CSELECT_IN : 0)
            | (isBroken || events & EPOLLOUT.rawValue != 0 ? CURL_CSELECT_OUT : 0)
    }

    private func check(_ code: CURLMcode, _ function: StaticString) {
        precondition(code == CURLM_OK, "\(function): \(code.rawValue)")
    }
}

// What libcurl calls, on the loop's thread, from within what it was called for.

private func watchSocket(
    easy: UnsafeMutableRawPointer?, socket: curl_socket_t, what: Int32, context: UnsafeMutableRawPointer?,
    socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return -1 }
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().watch(socket, what: what)
    return 0
}

private func noteTimer(multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return -1 }
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}

extension Duration {
    /// The whole milliseconds as libcurl takes them: rounded up, so that no wait ends before its time, and never
    /// negative.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = max(.zero, min(self, .milliseconds(Int32.max))).components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
