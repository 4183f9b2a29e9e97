import Testing
import Text

@testable import ServiceRuntime

@Suite struct ProtectionTests {
    @Test(
        "an address is local if no other machine can connect to it",
        arguments: [
            ("tcp://127.0.0.1:5550", true), ("tcp://127.9.9.9:*", true), ("tcp://localhost:1", true),
            ("tcp://[::1]:1", true), ("tcp://lo:1", true), ("ipc:///run/x", true), ("tcp://*:5550", false),
            ("tcp://0.0.0.0:5550", false), ("tcp://[::]:5550", false), ("tcp://192.168.0.1:5550", false),
            ("tcp://127.evil.example:1", false), ("tcp://127.0.0.1.example.org:1", false), ("tcp://eth0:1", false),
        ])
    func local(text: String, isLocal: Bool) {
        #expect(ZeroMQAddress(text)?.isLocal == isLocal)
    }

    @Test("an address that is open to other machines needs encryption, or a variable that allows it")
    func exposure() throws {
        let open = ["MARQUEE_EVENTS": "tcp://0.0.0.0:5552", "MARQUEE_ALERTS": "tcp://*:5553"]
        let configuration = try Configuration(environment: open)
        let error = #expect(throws: ConfigurationError.self) { try configuration.checkAddresses(of: .worker) }
        #expect(
            error?.description
                == "MARQUEE_EVENTS: other machines can connect to tcp://0.0.0.0:5552, and encryption is off; "
                + "set MARQUEE_CURVE=on, use a local address, or allow it with MARQUEE_INSECURE=yes")
        #expect(throws: ConfigurationError.self) { try configuration.checkAddresses(of: .notifier) }
        for word in [("MARQUEE_CURVE", "on"), ("MARQUEE_INSECURE", "yes")] {
            let configuration = try Configuration(environment: open.merging([word.0: word.1]) { $1 })
            try configuration.checkAddresses(of: .worker)
            try configuration.checkAddresses(of: .notifier)
        }
        try Configuration(environment: [:]).checkAddresses(of: .worker)
        // An address that a process connects to is not its own to protect.
        try Configuration(environment: ["MARQUEE_EVENTS": "tcp://worker:5552"]).checkAddresses(of: .notifier)
    }

    @Test("the name of a key cannot be a path", arguments: ["../server", ".server", "a/b", "a\nb"])
    func names(name: String) {
        #expect(throws: ConfigurationError.self) { try Configuration(environment: ["MARQUEE_CURVE_CLIENT": name]) }
    }
}
