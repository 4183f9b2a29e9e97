import Concurrency
import FoundationEssentials
import TestSupport
import Testing
import Text

@testable import ServiceRuntime

@Suite struct LoggerTests {
    private let lines = Locked<[String]>([])

    private func logger(
        _ level: Logger.Level = .debug, _ format: Logger.Format = .text, secrets: [Secret] = []
    ) -> Logger {
        Logger(
            label: "worker", level: level, format: format, secrets: secrets,
            wallClock: WallClock { Date(timeIntervalSince1970: 1_795_242_180.123) },
            write: { [lines] line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    }

    private var written: [String] { lines.withLock { $0 } }

    @Test("a text line has time, level, label, message and metadata")
    func text() {
        logger().info(
            "chart published", [.topic: "ranking.day.all.2024-06-04", .title: "파묘 2", .count: 10, .error: nil])
        #expect(
            written == [
                "2026-11-21T06:23:00.123Z info    worker: chart published topic=ranking.day.all.2024-06-04 "
                    + "title=\"파묘 2\" count=10\n"
            ])
    }

    @Test("a JSON line is one object with typed values")
    func json() throws {
        logger(.info, .json).with([.request: "r 1"]).error(
            "request failed", [.count: 3, .status: true, .title: "\"\n\\"])
        let line = try #require(written.first)
        struct Line: Decodable, Equatable {
            var time, level, label, message, request, title: String
            var count: Int
            var status: Bool
        }
        #expect(
            try JSONDecoder().decode(Line.self, from: Data(line.utf8))
                == Line(
                    time: "2026-11-21T06:23:00.123Z", level: "error", label: "worker", message: "request failed",
                    request: "r 1", title: "\"\n\\", count: 3, status: true))
        #expect(line.hasSuffix("}\n"))
        #expect(line.filter { $0 == "\n" }.count == 1)
    }

    @Test("lines below the chosen level are not written, and their metadata is not evaluated")
    func levels() {
        var isMade = false
        func made() -> String {
            isMade = true
            return "made"
        }
        let logger = logger(.warning)
        logger.debug("one", [.text: made()])
        logger.info("two", [.text: made()])
        logger.info("two", each: [[.text: made()]])
        #expect(!isMade)
        logger.warning("three")
        logger.error("four")
        #expect(written.map { $0.contains("three") || $0.contains("four") } == [true, true])
    }

    @Test("lines for many elements are written together, up to the atomic size of a pipe")
    func many() {
        let long = String(repeating: "x", count: 4_050)
        let texts = (1...100).map { "number \($0) " + long.prefix(50) } + [long, "last"]
        logger().info("alert", each: texts.map { [.text: $0] })
        let lines = written.joined().split(separator: "\n")
        #expect(lines.count == texts.count)
        #expect(zip(lines, texts).allSatisfy { $0.contains($1) })
        #expect(written.allSatisfy { $0.hasSuffix("\n") && ($0.utf8.count <= 4_096 || $0.contains(long)) })
        #expect(written.count < 10)
    }

    @Test(
        "a value cannot forge a line or hide in one",
        arguments: [Logger.Format.text, .json],
        ["a\n2026-11-21T06:23:00.123Z error worker: forged", "a\r\u{1b}[2Kb", "\u{202e}evil", "\u{85}\u{2028}", "a\0"])
    func forging(format: Logger.Format, value: String) throws {
        logger(.info, format).info("received", [.text: value])
        let line = try #require(written.first?.dropLast())
        #expect(line.unicodeScalars.allSatisfy { !$0.isUnprintable })
        #expect(line.contains("\\"))
    }

    @Test("only unprintable characters, quotes and backslashes are escaped")
    func everyScalar() {
        for scalar in (0...0xFFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let isEscaped = scalar.isUnprintable || scalar == "\"" || scalar == "\\"
            let quoted = "a\(scalar)b".quoted
            if (quoted.unicodeScalars.elementsEqual("\"a\(scalar)b\"".unicodeScalars)) == isEscaped {
                Issue.record("U+\(String(scalar.value, radix: 16)): \(quoted)")
            }
        }
    }

    @Test(
        "a secret is redacted in every form in which a server may return it",
        arguments: [
            "key=s3cr+t/%x==&a=1", "key=s3cr%2Bt%2F%25x%3D%3D", "key=s3cr%2bt/%25x%3d=&a=1", "%733cr%2Bt%2F%25x%3D%3D",
            "s3cr+t/%x==s3cr+t/%x==",
        ])
    func redaction(text: String) throws {
        logger(secrets: [Secret("s3cr"), Secret("s3cr+t/%x==")]).info("asked", [.address: text])
        let line = try #require(written.first)
        #expect(line.contains("***"))
        #expect(!line.contains("3cr"))
        #expect(!line.contains("%x"))
        #expect(!line.contains("3D"))
    }

    @Test(
        "a time is rounded to the nearest millisecond",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000Z"), (1_709_164_799.9996, "2024-02-29T00:00:00.000Z"),
            (1_709_164_799.999, "2024-02-28T23:59:59.999Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        ])
    func time(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).rfc3339 == text)
    }

    @Test("every millisecond of a second is written as itself")
    func milliseconds() {
        for millisecond in 0..<1000 {
            let date = Date(timeIntervalSince1970: 1_795_242_180 + Double(millisecond) / 1000)
            #expect(date.rfc3339.dropFirst(20).dropLast() == String(1000 + millisecond).dropFirst())
        }
    }

    @Test("a rate-limited logger writes a line per second, with the number of lines it dropped")
    func rateLimit() {
        let clock = ManualClock()
        let limited = RateLimitedLogger(logger(), clock: clock)
        func refuse(_ count: Int) { for _ in 0..<count { limited.warning("refused", [.reason: "no id"]) } }
        refuse(1)
        refuse(1_000)
        clock.advance(by: .seconds(1))
        refuse(2)
        clock.advance(by: .milliseconds(999))
        refuse(1)
        let line = "2026-11-21T06:23:00.123Z warning worker: refused"
        #expect(written == ["\(line) reason=\"no id\"\n", "\(line) dropped=1000 reason=\"no id\"\n"])
    }

    @Test("a long text is cut after its secrets are redacted")
    func longText() {
        let secret = Secret("0123456789abcdef")
        // The cut goes through the secret.
        let text = String(repeating: "눈", count: 1_363) + secret.value + String(repeating: "x", count: 1_000_000)
        logger(secrets: [secret]).info("read", [.reason: text])
        let line = written.joined()
        #expect(line.utf8.count < 5_000 && line.contains("눈***"))
        #expect(!line.contains("0123"))
    }

    @Test("failures that every client meets are at most one line a second")
    func limitedFailures() {
        let limited = RateLimitedLogger(logger(), clock: ManualClock())
        for _ in 0..<3 { limited.error("not stored", [.reason: "full"]) }
        #expect(written == ["2026-11-21T06:23:00.123Z error   worker: not stored reason=full\n"])
    }
}
