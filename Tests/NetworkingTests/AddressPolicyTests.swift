import Foundation
import TestSupport
import Testing
import Text

@testable import Networking

/// 127.0.0.2 plays a public address where one that answers is needed.
@Suite(.patience)
struct AddressPolicyTests {
    private let client = HTTPClient(retry: .patient)

    private func publicOnly(_ url: String, redirects: Int = 0) -> HTTPRequest {
        var request = HTTPRequest(url, redirects: redirects, addressPolicy: .publicAddressesOnly)
        request.exemptAddress = IPAddress("127.0.0.2")
        return request
    }

    @Test(
        "The client connects to no private address, however it is written",
        arguments: [
            "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "2130706433", "0x7f000001",
            "0177.0.0.1", "127.1", "0", "10.1.2.3", "169.254.169.254", "100.64.0.1", "172.16.0.1", "192.168.0.1",
            "[fc00::1]", "[fe80::1]", "[64:ff9b::7f00:1]", "224.0.0.1", "%31%32%37.0.0.1",
        ])
    func privateAddress(host: String) async throws {
        let server = try ScriptedServer { $0.answer("secret of the house") }
        let port = try #require(server.url.split(separator: ":").last)
        let request = publicOnly("http://\(host):\(port)/")
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
        #expect(error?.kind == .forbidden, "\(String(describing: error))")
        #expect(server.connections == 0)
    }

    @Test("A public address is connected to")
    func publicAddress() async throws {
        let server = try ScriptedServer(address: "127.0.0.2") { $0.answer("image") }
        let request = publicOnly(server.url)
        #expect(try await client.send(.text(request)) == "image")
    }

    @Test("A public address of IPv6 is tried")
    func publicIPv6Address() async throws {
        var request = publicOnly("http://[::1]:1/")  // nobody listens there
        request.exemptAddress = IPAddress("::1")
        let refused = request
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(refused)) }
        #expect(error?.kind == .unavailable, "\(String(describing: error))")
    }

    @Test(
        "A redirect to a private address is not followed", arguments: ["127.0.0.1", "[::1]", "2130706433", "localhost"])
    func redirect(host: String) async throws {
        let inside = try ScriptedServer { $0.answer("secret of the house") }
        let port = try #require(inside.url.split(separator: ":").last)
        let outside = try ScriptedServer(address: "127.0.0.2") {
            $0.answer(status: 302, headers: ["Location: http://\(host):\(port)/"])
        }
        let request = publicOnly(outside.url, redirects: 3)
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
        #expect(error?.kind == .forbidden)
        #expect(inside.connections == 0)
    }

    @Test("A connection that another request opened to a private address is not used, directly or by a redirect")
    func pooledConnection() async throws {
        let inside = try ScriptedServer { $0.answer("secret of the house") }
        let outside = try ScriptedServer(address: "127.0.0.2") {
            $0.answer(status: 302, headers: ["Location: \(inside.url)/"])
        }
        _ = try await client.send(.text(HTTPRequest(inside.url)))
        for url in [inside.url, outside.url] {
            let request = publicOnly(url, redirects: 3)
            let error = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
            #expect(error?.kind == .forbidden)
        }
        #expect(inside.requests.count == 1)
        #expect(outside.requests.count == 1)
    }

    @Test("An address from the configuration may be private")
    func anyAddress() async throws {
        let server = try ScriptedServer { $0.answer("sandbox") }
        #expect(try await client.send(.text(HTTPRequest(server.url))) == "sandbox")
    }
}
