import Foundation
import TestSupport
import Testing
import Text

@testable import WebServer

/// Containers often have none.
private let machineHasIPv6 = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.isEmpty == false

@Suite struct AddressTests {
    @Test("port 0 becomes a real port", .patience, arguments: ["127.0.0.1", "0.0.0.0"])
    func freePort(host: String) async throws {
        try await expectPort(on: host, reachedAt: "127.0.0.1")
    }

    @Test(
        "IPv6 addresses are in brackets, and [::] accepts IPv4 clients too",
        .enabled(if: machineHasIPv6, "this machine has no IPv6"),
        .patience, arguments: [("[::1]", "[::1]"), ("[::]", "[::1]"), ("[::]", "127.0.0.1")])
    func version6(host: String, client: String) async throws {
        try await expectPort(on: host, reachedAt: client)
    }

    private func expectPort(on host: String, reachedAt client: String) async throws {
        let server = try HTTPServer(address: "\(host):0") { _ in .text("here") }
        let port = server.address.split(separator: ":").last ?? ""
        #expect(server.address == "\(host):\(port)")
        #expect(port != "0")
        #expect(try await RawClient.get("\(client):\(port)", "/").hasSuffix("here"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an address in use is one clear line", .patience)
    func inUse() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in .text("") }
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(address: server.address) { _ in .text("") }
        }
        #expect(error?.isAddressInUse == true)
        #expect(error?.description == "cannot listen on \(server.address): Address already in use")
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an address of another machine fails with the system's error")
    func foreign() {
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(address: "192.0.2.1:0") { _ in .text("") }
        }
        #expect(error?.description == "cannot listen on 192.0.2.1:0: Cannot assign requested address")
        #expect(error?.isAddressInUse == false)
    }

    @Test(
        "a text that is not an address and port is rejected",
        arguments: [
            "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "localhost:80",
            "1.2.3:80",
            "::1:80", "[::1]", "[::1:80", "[127.0.0.1]:80", "*:80", "tcp://127.0.0.1:80",
        ])
    func invalid(address: String) {
        #expect(throws: HTTPServerError.invalidAddress(address)) {
            try HTTPServer(address: address) { _ in .text("") }
        }
    }
}
