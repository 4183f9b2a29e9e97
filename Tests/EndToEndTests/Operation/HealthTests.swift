import Foundation
import Networking
import TestSupport
import Testing

@Suite(.patience) struct HealthTests {
    private let client = HTTPClient(retry: .never)

    /// What a process answers, whatever the status.
    private func visit(_ path: String, of owner: String, _ harness: ProcessHarness) async throws -> HTTPResponse {
        let request = HTTPRequest("http://\(harness.environment["MARQUEE_\(owner)_HTTP", default: ""])\(path)")
        return try await client.send(APICall(service: "health", request: request) { $0 })
    }

    /// A process's figures.
    private func figures(of owner: String, _ harness: ProcessHarness) async throws -> Exposition {
        try Exposition(String(decoding: try await visit("/metrics", of: owner, harness).body, as: UTF8.self))
    }

    @Test("worker and notifier are live and ready, and their metrics count a request")
    func figures() async throws {
        try await ProcessHarness.run { harness, _ in
            #expect(try await harness.marquee("request", "day", "2024-06-04").status == 0)
            #expect(try await harness.marquee("request", "day", "2024-06-04").status == 0)
            #expect(try await harness.marquee("request", "movie", "00000000").status != 0)

            #expect(try await visit("/healthz", of: "WORKER", harness).status == 200)
            try await waitUntil("the worker is ready") {
                try await visit("/readyz", of: "WORKER", harness).status
            } is: {
                $0 == 200
            }
            // The end of a request is published before it is counted.
            let worker = try await waitUntil("the worker has counted three requests") {
                try await figures(of: "WORKER", harness)
            } is: {
                ($0["marquee_request_duration_seconds_count"] ?? 0) >= 3
            }
            #expect(worker["marquee_requests_accepted_total"] == 3)
            #expect(worker["marquee_requests_done_total", ["from": "upstream"]] == 1)
            #expect(worker["marquee_requests_done_total", ["from": "log"]] == 1)
            #expect(worker["marquee_requests_failed_total", ["code": "notFound"]] == 1)
            #expect(worker["marquee_request_duration_seconds_count"] == 3)
            #expect(worker["marquee_queue_length", ["priority": "live"]] == 0)
            #expect(worker["marquee_upstream_calls_total", ["service": "kobis", "outcome": "ok"]] == 1)
            #expect(worker["marquee_upstream_calls_total", ["service": "kobis", "outcome": "notFound"]] == 1)
            #expect(worker["marquee_upstream_call_duration_seconds_count", ["service": "kobis"]] == 2)
            #expect(worker["marquee_quota_left_calls", ["service": "kobis"]] == 2_998)
            #expect(worker["marquee_events_published_total", ["stream": "ranking"]] == 2)
            #expect(worker["marquee_log_position", ["stream": "ranking"]] == 1)
            #expect(worker["marquee_log_position", ["stream": "request"]] == 6)
            // A client that waits for seconds also asks the log.
            #expect(try #require(worker["marquee_socket_received_total", ["socket": "commands"]]) >= 3)
            #expect(worker["marquee_ready", ["check": "database"]] == 1)
            #expect(worker["marquee_workers"] == 1)
            #expect(try #require(worker["marquee_heartbeats_total"]) > 0)
            #expect(try #require(worker["marquee_database_size_bytes"]) > 4096)

            // The worker's first heartbeat, and the chart, come when they come.
            try await waitUntil("the notifier is ready") {
                try await visit("/readyz", of: "NOTIFIER", harness).status
            } is: {
                $0 == 200
            }
            let read = try await waitUntil("the notifier has read the chart") {
                try await figures(of: "NOTIFIER", harness)["marquee_events_read_total"] ?? 0
            } is: {
                $0 >= 1
            }
            #expect(read == 1)
            #expect(try await visit("/healthz", of: "NOTIFIER", harness).status == 200)
        }
        await client.shutdown()
    }

    @Test("the operations page names exactly the existing metrics, and so do the alerting rules")
    func documented() async throws {
        try await ProcessHarness.run { harness, _ in
            let worker = try await figures(of: "WORKER", harness)
            let told = Set(worker.families.keys).union(try await figures(of: "NOTIFIER", harness).families.keys)
            func names(in path: String) throws -> Set<String> {
                let text = try String(contentsOfFile: "\(ProcessHarness.checkout)/\(path)", encoding: .utf8)
                return Set(text.matches(of: /\b(marquee|process)_[a-z_]+/).map { String($0.output.0) })
            }
            // What is a board's own is told on its page.
            #expect(try names(in: "docs/operations/monitor.md").filter { !$0.hasPrefix("marquee_board_") } == told)
            #expect(try names(in: "deploy/prometheus-alerts.yml").isSubset(of: told))
        }
        await client.shutdown()
    }

    @Test("the parser of Prometheus reads the metrics")
    func parsed() async throws {
        try await ProcessHarness.run { harness, _ in
            let script = """
                import os, sys, urllib.request
                from prometheus_client.parser import text_string_to_metric_families
                for owner in "WORKER", "NOTIFIER":
                    with urllib.request.urlopen("http://" + os.environ["MARQUEE_" + owner + "_HTTP"] + "/metrics") as answer:
                        for family in text_string_to_metric_families(answer.read().decode()):
                            assert family.documentation and family.type != "unknown", family
                            print(family.name, family.type, len(family.samples))
                """
            let ending = try await Program.run(ProcessHarness.python, ["-c", script], environment: harness.environment)
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.output.contains { $0.contains("marquee_request_duration_seconds histogram") })
        }
        await client.shutdown()
    }

    @Test("worker, notifier and sandbox answer under no foreign name, which is what a rebound page has")
    func foreignName() async throws {
        try await ProcessHarness.run { harness, _ in
            let script = """
                import os, urllib.error, urllib.request
                for role, page in ("WORKER", "/metrics"), ("NOTIFIER", "/metrics"), ("SANDBOX", "/control"):
                    address = "http://" + os.environ["MARQUEE_" + role + "_HTTP"] + page
                    for name in "localhost", "evil.example":
                        try:
                            print(urllib.request.urlopen(urllib.request.Request(address, headers={"Host": name})).status)
                        except urllib.error.HTTPError as error:
                            print(error.code)
                """
            let ending = try await Program.run(ProcessHarness.python, ["-c", script], environment: harness.environment)
            #expect(ending.output == ["200", "421", "200", "421", "200", "421"], "\(ending.errors)")
        }
        await client.shutdown()
    }

    @Test("a worker whose key is rejected is live, but not ready")
    func refusedKey() async throws {
        try await ProcessHarness.run([.sandbox: ["--kobis-key", "ffffffffffffffffffffffffffffffff"]]) { harness, _ in
            try await waitUntil("the worker is ready") {
                try await visit("/readyz", of: "WORKER", harness).status
            } is: {
                $0 == 200
            }
            #expect(try await harness.marquee("request", "day", "2024-06-04").status != 0)
            let answer = try await waitUntil("the worker is not ready, for its key alone") {
                try await visit("/readyz", of: "WORKER", harness)
            } is: {
                String(decoding: $0.body, as: UTF8.self) == "key: KOBIS rejects the key; check MARQUEE_KOBIS_KEY\n"
            }
            #expect(answer.status == 503)
            #expect(try await visit("/healthz", of: "WORKER", harness).status == 200)
            #expect(try await figures(of: "WORKER", harness)["marquee_ready", ["check": "key"]] == 0)
        }
        await client.shutdown()
    }

    @Test("an HTTP address in use ends the start with one line", arguments: ["worker", "notifier"])
    func addressInUse(role: String) async throws {
        try await ProcessHarness.run { harness, _ in
            let taken = try #require(harness.environment["MARQUEE_\(role.uppercased())_HTTP"])
            var changes = try await harness.otherState().settings
            let owned = role == "worker" ? ["REQUESTS", "COMMANDS", "EVENTS"] : ["ALERTS", "ALERT_COMMANDS"]
            for name in owned { changes["MARQUEE_\(name)"] = "tcp://127.0.0.1:*" }
            let ending = try await harness.marquee(role, changes: changes)
            #expect(ending.status == 1)
            #expect(ending.errors == ["marquee: cannot listen on \(taken): Address already in use"])
        }
        await client.shutdown()
    }
}
