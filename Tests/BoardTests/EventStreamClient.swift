import Foundation
import Glibc

/// An HTTP client that reads a board's server-sent events, as a browser does.
final class EventStreamClient: Sendable {
    struct Event: Hashable, Sendable {
        var id: String?
        var name = ""
        var data = ""
    }

    let events: AsyncStream<Event>
    private let descriptor: Int32

    /// Connects to `address` (`127.0.0.1:40211`), and requests the events at `path`.
    ///
    /// - Parameter id: The id of the last event that the client has received.
    init(_ address: String, path: String = "/api/v1/live", after id: String? = nil) throws {
        let parts = address.split(separator: ":")
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = (UInt16(parts[1]) ?? 0).bigEndian
        inet_pton(AF_INET, String(parts[0]), &name.sin_addr)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.descriptor = descriptor
        let head =
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\n" + (id.map { "Last-Event-ID: \($0)\r\n" } ?? "") + "\r\n"
        _ = send(descriptor, head, head.utf8.count, Int32(MSG_NOSIGNAL))
        let (events, event) = AsyncStream<Event>.makeStream()
        self.events = events
        // The loop blocks, so it has a thread of its own.
        Thread.detachNewThread {
            var current = Event()
            var line: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = recv(descriptor, &part, part.count, 0)
                guard count > 0 else { break }
                for byte in part.prefix(count) where byte != UInt8(ascii: "\r") {
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        continue
                    }
                    // The sizes of HTTP's chunks are between the lines; they have no colon.
                    let text = String(decoding: line, as: UTF8.self)
                    line = []
                    if text.hasPrefix("id: ") { current.id = String(text.dropFirst(4)) }
                    if text.hasPrefix("event: ") { current.name = String(text.dropFirst(7)) }
                    guard text.hasPrefix("data: ") else { continue }
                    current.data = String(text.dropFirst(6))
                    event.yield(current)
                    current = Event()
                }
            }
            event.finish()
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Waits for the next `count` events with one of these names; returns fewer if the connection ends.
    func next(_ count: Int, _ names: String...) async -> [Event] {
        var found: [Event] = []
        for await event in events where names.contains(event.name) {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}
