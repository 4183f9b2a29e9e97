import Testing
import Text

@testable import Networking

struct IPAddressTests {
    @Test(
        "Addresses of private, local and special networks are not public",
        arguments: [
            "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1",
            "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "5f00::1", "fc00::1",
            "fd00::1", "fe80::1", "fec0::1", "ff02::1",
        ])
    func notPublic(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
        #expect(IPAddress("\(address)") == address)
    }

    @Test(
        "Addresses of the internet are public",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
            "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:200::1", "2a00:1450::1", "2003::1", "3ffe::1",
        ])
    func isPublic(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(
        "What is no numeric address is none", arguments: ["", "localhost", "127.1", "2130706433", "1.2.3.4.5", "::g"])
    func unreadable(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
