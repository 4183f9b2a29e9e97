import Testing
import Text

@testable import ServiceRuntime

@Suite struct AddressTests {
    @Test("a name stands for its addresses, for none if nobody knows it; an address is no name")
    func resolved() throws {
        func resolved(_ text: String) throws -> [String]? {
            try #require(ZeroMQAddress(text)).resolved()?.map(\.description)
        }
        #expect(try #require(try resolved("tcp://LOCALHOST:5550")).contains("tcp://127.0.0.1:5550"))
        #expect(try resolved("tcp://nowhere.invalid:5550") == [])
        for text in ["tcp://127.0.0.1:5550", "tcp://[::1]:5550", "tcp://*:5550", "ipc:///x"] {
            #expect(try resolved(text) == nil, "\(text)")
        }
    }

    @Test(
        "a ZeroMQ address is tcp with host and port, or ipc with a path",
        arguments: [
            ("tcp://127.0.0.1:5550", true), ("tcp://*:5550", true), ("tcp://127.0.0.1:*", true),
            ("tcp://[::1]:0", true),
            ("tcp://worker_1.local:5550", true), ("ipc:///run/marquee/events", true), ("ipc://*", true),
            ("", false), ("tcp://", false), ("tcp://:5550", false), ("tcp://host:", false), ("tcp://host:+1", false),
            ("tcp://host:65536", false), ("tcp://host:-1", false), ("tcp://ho st:1", false), ("tcp://::1:5550", false),
            ("tcp://[]:5550", false), ("tcp://1*:5550", false), ("TCP://host:1", false), ("inproc://x", false),
            ("tcp://LOCALHOST:5550", true), ("tcp://[fe80::1%eth0]:1", true), ("tcp://127.1:1", false),
            ("tcp://127.0.0:1", false), ("tcp://010.0.0.1:1", false), ("tcp://[::1]x:1", false), ("tcp://[x]:1", false),
            ("ipc://", false), ("ipc://a\nb", false), ("ipc:///" + String(repeating: "x", count: 107), false),
        ])
    func zeroMQ(text: String, isAddress: Bool) {
        #expect((ZeroMQAddress(text) != nil) == isAddress)
    }

    @Test(
        "clients on this machine reach a wildcard address at the loopback address",
        arguments: [
            ("tcp://*:5550", "tcp://127.0.0.1:5550"), ("tcp://0.0.0.0:5550", "tcp://127.0.0.1:5550"),
            ("tcp://localhost:5550", "tcp://127.0.0.1:5550"), ("tcp://lo:5550", "tcp://127.0.0.1:5550"),
            ("tcp://[::]:5550", "tcp://[::1]:5550"), ("tcp://worker:5550", "tcp://worker:5550"),
            ("ipc:///x", "ipc:///x"),
        ])
    func reachable(text: String, reachable: String) {
        #expect(ZeroMQAddress(text)?.reachable == reachable)
    }

    @Test("lists of hosts take the place of the host in each address that clients use, and in none that is bound")
    func hosts() throws {
        let configuration = try Configuration(environment: [
            "MARQUEE_COMMANDS": "tcp://*:1", "MARQUEE_EVENTS": "ipc:///x", "MARQUEE_WORKERS": "a, localhost,[fd00::5],",
            "MARQUEE_NOTIFIERS": "10.0.0.5",
        ])
        #expect(configuration.commands.description == "tcp://*:1")
        #expect(configuration.reachableCommands == ["tcp://a:1", "tcp://127.0.0.1:1", "tcp://[fd00::5]:1"])
        #expect(configuration.reachableEvents == ["ipc:///x"])
        #expect(configuration.reachableAlerts == ["tcp://10.0.0.5:5553"])
        #expect(try Configuration(environment: [:]).reachableAlertCommands == ["tcp://127.0.0.1:5554"])
    }

    @Test(
        "an HTTP address is host and port",
        arguments: [
            ("127.0.0.1:8550", "http://127.0.0.1:8550"), ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("sandbox:8590", "http://sandbox:8590"), ("[::1]:0", "http://[::1]:0"), ("8550", nil), (":8550", nil),
            ("localhost:80", "http://127.0.0.1:80"), ("*:80", "http://127.0.0.1:80"), ("[fe80::1%eth0]:80", nil),
            ("localhost", nil), ("localhost:*", nil), ("http://localhost:80", nil), ("localhost:80/x", nil),
        ])
    func http(text: String, url: String?) {
        #expect(HTTPAddress(text)?.url == url)
    }

    @Test(
        "a process does not start at a host that is not this machine's, and the variable is named",
        arguments: [
            (["MARQUEE_COMMANDS": "tcp://worker:5551"], Configuration.ProcessRole.worker, "as in tcp://*:5550"),
            (["MARQUEE_WORKER_HTTP": "worker:8550"], .worker, "as in 0.0.0.0:8550"),
            (["MARQUEE_ALERTS": "tcp://worker:5553"], .notifier, "as in tcp://*:5550"),
            (["MARQUEE_BOARD_METRICS_HTTP": "board:8552"], .board, "as in 0.0.0.0:8550"),
            (["MARQUEE_SANDBOX_HTTP": "sandbox:8590"], .sandbox, "as in 0.0.0.0:8550"),
        ])
    func names(environment: [String: String], role: Configuration.ProcessRole, advice: String) throws {
        let configuration = try Configuration(environment: environment)
        let error = try #require(throws: ConfigurationError.self) { try configuration.checkAddresses(of: role) }
        #expect(error.variable == environment.keys.first)
        #expect(error.description.hasSuffix(advice))
    }

    @Test("what a process can listen at is an address, an interface or *")
    func bindable() throws {
        let configuration = try Configuration(environment: [
            "MARQUEE_REQUESTS": "tcp://localhost:5550", "MARQUEE_COMMANDS": "tcp://lo:*",
            "MARQUEE_EVENTS": "tcp://[::1]:*",
            "MARQUEE_WORKER_HTTP": "localhost:0", "MARQUEE_BOARD_HTTP": "*:0",
        ])
        try configuration.checkAddresses(of: .worker)
        try configuration.checkAddresses(of: .board)
    }
}
