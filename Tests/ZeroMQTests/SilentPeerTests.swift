import Glibc
import Testing

@testable import ZeroMQ

@Suite("Peers that fall silent")
struct SilentPeerTests {
    @Test("a connection that never greets is closed", .timeLimit(.minutes(5)))
    func noGreeting() async throws {
        var options = SocketOptions()
        options.handshake = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            await waitForEnd(of: server.addresses[0], saying: [])
        }
    }

    @Test("a connection that does not answer heartbeats is closed", .timeLimit(.minutes(5)))
    func noHeartbeat() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            await waitForEnd(of: server.addresses[0], saying: greeting + ready)
        }
    }

    /// What a ZMTP 3.0 peer says first: signature, version, mechanism, role and filler.
    private var greeting: [UInt8] {
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + "NULL".utf8 + [UInt8](repeating: 0, count: 48)
    }

    /// And then: the command that it is a dealer.
    private var ready: [UInt8] {
        let body = [5] + "READY".utf8 + [11] + "Socket-Type".utf8 + [0, 0, 0, 6] + "DEALER".utf8
        return [4, UInt8(body.count)] + body
    }

    /// Connects by plain TCP, says `bytes` and then nothing, and returns when the other side has hung up.
    private func waitForEnd(of address: String, saying bytes: [UInt8]) async {
        let port = UInt16(address.split(separator: ":").last ?? "") ?? 0
        let hungUp = await withCheckedContinuation { continuation in
            do {
                _ = try startThread(for: "silent peer") {
                    continuation.resume(returning: talk(to: port, saying: bytes))
                }
            } catch {
                continuation.resume(returning: false)
            }
        }
        #expect(hungUp)
    }
}

private func talk(to port: UInt16, saying bytes: [UInt8]) -> Bool {
    let peer = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(peer) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafeBytes(of: &address) {
        connect(peer, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard status == 0, send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return false }
    var answer = [UInt8](repeating: 0, count: 256)
    while true {
        let count = recv(peer, &answer, answer.count, 0)
        if count <= 0 { return count == 0 || errno == ECONNRESET }
    }
}
