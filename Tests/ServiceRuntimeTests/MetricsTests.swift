import Foundation
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite struct MetricsTests {
    private enum Fruit: String, CaseIterable {
        case apple
        case pear
    }

    private let metrics = Metrics()

    @Test("the text has all counters, those that were never counted with zero", .patience)
    func counters() async throws {
        let eaten = metrics.counters("eaten_total", "Fruit that is gone.", for: Fruit.allCases) {
            ["fruit": $0.rawValue]
        }
        let meals = metrics.counter("meals_total", "Meals.")
        eaten[.apple]?.add(3)
        meals.add()
        #expect(
            await metrics.text() == """
                # HELP eaten_total Fruit that is gone.
                # TYPE eaten_total counter
                eaten_total{fruit="apple"} 3
                eaten_total{fruit="pear"} 0
                # HELP meals_total Meals.
                # TYPE meals_total counter
                meals_total 1

                """)
    }

    @Test("a sample can have two labels", .patience)
    func pairs() async throws {
        let calls = metrics.counters("calls_total", "Calls.", for: [1, 2]) {
            ["service": "kobis", "outcome": $0 == 1 ? "ok" : "timeout"]
        }
        calls[2]?.add()
        let text = try Exposition(await metrics.text())
        #expect(text["calls_total", ["service": "kobis", "outcome": "ok"]] == 0)
        #expect(text["calls_total", ["service": "kobis", "outcome": "timeout"]] == 1)
    }

    @Test("a gauge is read at the scrape, and left out if it cannot be read", .patience)
    func gauges() async throws {
        struct Unreadable: Error {}
        let length = metrics.counter("pushes_total", "Pushes.")
        metrics.gauge("length", "Length.") { Double(length.count) / 2 }
        metrics.gauge("nothing", "No value.") { nil }
        metrics.gauges("broken", "Cannot be read.", by: "part") { throw Unreadable() }
        metrics.gauges("parts", "Parts.", by: "part") { ["b": 2, "a": -1.5] }
        length.add(3)
        let text = try Exposition(await metrics.text())
        #expect(text["length"] == 1.5)
        #expect(text.families["nothing"]?.samples.isEmpty == true)
        #expect(text.families["broken"]?.samples.isEmpty == true)
        #expect(text.families["parts"]?.samples.map(\.labels) == [["part": "a"], ["part": "b"]])
        #expect(text["parts", ["part": "a"]] == -1.5)
    }

    @Test("a duration counts in its bucket and in all larger ones", .patience)
    func histogram() async throws {
        let waits = metrics.histogram("wait_seconds", "Waits.")
        for wait: Duration in [.milliseconds(1), .milliseconds(40), .seconds(2), .seconds(3_600), .seconds(-1)] {
            waits.observe(wait)
        }
        let text = try Exposition(await metrics.text())
        #expect(text["wait_seconds_bucket", ["le": "0.001"]] == 2)  // the bound itself, and less than nothing
        #expect(text["wait_seconds_bucket", ["le": "0.025"]] == 2)
        #expect(text["wait_seconds_bucket", ["le": "0.05"]] == 3)
        #expect(text["wait_seconds_bucket", ["le": "1"]] == 3)
        #expect(text["wait_seconds_bucket", ["le": "300"]] == 4)
        #expect(text["wait_seconds_bucket", ["le": "+Inf"]] == 5)
        #expect(text["wait_seconds_count"] == 5)
        #expect(text["wait_seconds_sum"] == 3_602.041)
    }

    @Test("the buckets of a histogram have its labels and the bound", .patience)
    func histograms() async throws {
        let waits = metrics.histograms("wait_seconds", "Waits.", for: Fruit.allCases) { ["fruit": $0.rawValue] }
        waits[.pear]?.observe(.seconds(1))
        let text = try Exposition(await metrics.text())
        #expect(text["wait_seconds_bucket", ["fruit": "pear", "le": "1"]] == 1)
        #expect(text["wait_seconds_count", ["fruit": "apple"]] == 0)
    }

    @Test("quotes, backslashes and line breaks are escaped in labels", .patience)
    func escaping() async throws {
        let odd = "a\"b\\c\nd 파묘"
        metrics.gauges("odd", "Odd.", by: "value") { [odd: 1] }
        let text = try Exposition(await metrics.text())
        #expect(text["odd", ["value": odd]] == 1)
    }

    @Test(
        "numbers are written in the format of Prometheus",
        arguments: [
            (0, "0"), (1, "1"), (-2.5, "-2.5"), (1e16, "10000000000000000"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"), (.nan, "NaN"), (1e-9, "1e-09"), (1e300, "1e+300"),
        ])
    func numbers(number: Double, text: String) {
        #expect(number.metricText == text)
    }

    @Test("two metrics with one name, and a counter that would fall, end the process", .patience)
    func preconditions() async {
        await #expect(processExitsWith: .failure) {
            let metrics = Metrics()
            metrics.gauge("same", "Same.") { 1 }
            metrics.gauge("same", "Same.") { 2 }
        }
        await #expect(processExitsWith: .failure) {
            Metrics().counter("some_total", "Some.").add(-1)
        }
    }

    @Test("concurrent counts are not lost, and a scrape sees consistent histograms", .patience)
    func threads() async throws {
        let count = metrics.counter("count_total", "Count.")
        let waits = metrics.histogram("wait_seconds", "Waits.")
        try await withThrowingTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    for _ in 0..<5_000 {
                        count.add()
                        waits.observe(.milliseconds(1))
                    }
                }
            }
            tasks.addTask { [metrics] in
                for _ in 0..<50 { _ = try Exposition(await metrics.text()) }
            }
            try await tasks.waitForAll()
        }
        let text = try Exposition(await metrics.text())
        #expect(text["count_total"] == 20_000)
        #expect(text["wait_seconds_count"] == 20_000)
    }

    @Test("the process metrics have its start, memory and open files", .patience)
    func process() async throws {
        metrics.addProcess(startedAt: Date(timeIntervalSince1970: 1_795_242_180.5))
        let before = try Exposition(await metrics.text())
        #expect(before["process_start_time_seconds"] == 1_795_242_180.5)
        #expect(before["marquee_build_info", ["version": version]] == 1)
        let memory = try #require(before["process_resident_memory_bytes"])
        #expect(memory > 1e6 && memory < 1e10)
        #expect(try #require(before["process_max_fds"]) >= #require(before["process_open_fds"]))
    }

    @Test("the number of open files is exact", .patience)
    func openFiles() async {
        // In a process of its own, where no other test opens files.
        await #expect(processExitsWith: .success) {
            let metrics = Metrics()
            metrics.addProcess(startedAt: Date())
            let before = try #require(try Exposition(await metrics.text())["process_open_fds"])
            let pipes = (0..<50).map { _ in Pipe() }
            let after = try #require(try Exposition(await metrics.text())["process_open_fds"])
            // The runtime may open or close a few of its own meanwhile.
            #expect((90...110).contains(after - before))
            withExtendedLifetime(pipes) {}
        }
    }
}

/// The parser of the text format, on which tests rely, refuses invalid text.
@Suite struct ExpositionTests {
    @Test(
        "the parser refuses invalid text",
        arguments: [
            "a 1\n", "# HELP a A\n# TYPE a gauge\na 1", "# HELP a A\n# TYPE a gauge\na  1\n",
            "# HELP a A\n# TYPE a gauge\na 1\na 2\n", "# HELP a A\n# TYPE a counter\na 1\n",
            "# HELP a_total A\n# TYPE a_total counter\na_total -1\n", "# HELP a A\n# TYPE a gauge\na inf\n",
            "# HELP a A\n# TYPE a gauge\na{b=\"1\",b=\"2\"} 1\n", "# HELP a A\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
            "# HELP a A\n# TYPE a gauge\na{b=\"1\"\n", "# HELP a A\n# TYPE a gauge\nb 1\n",
            "# TYPE a gauge\n# HELP a A\na 1\n", "# HELP a A\n# TYPE a gauge\n# HELP a A\n",
            "# HELP a A\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
            "# HELP a A\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
            "# HELP a A\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_count 1\n",
            "# HELP a A\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
        ])
    func refuses(text: String) {
        #expect(throws: Exposition.FormatError.self) { try Exposition(text) }
    }
}
