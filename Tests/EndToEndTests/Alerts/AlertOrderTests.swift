import BoxOffice
import Contract
import Foundation
import TestSupport
import Testing

/// The alerts of one log that is filled in several orders, against `Tests/System/Chaos/alert_rules.py`, which knows the
/// rules from the documents alone: live, by `replay`, by `replay --dry-run` and by a new notifier with `--since`.
@Suite(.serialized, .patience) struct AlertOrderTests {
    /// The order in which the days of a log come.
    enum Order: UInt64, CaseIterable {
        /// Each day on the next one, as by the schedule.
        case dayByDay
        /// From the newest day back, as a backfill does, and then a week of live days.
        case backfillFirst
        /// Days change places with others of the same week.
        case withinWeeks
        /// As they come, four at once, a tenth of the days never.
        case fourAtOnce
        /// Any order, half of the days by a backfill.
        case random

        /// All with `MARQUEE_ALL_ORDERS` in the environment, else one: it has late days, days that never come,
        /// corrections and backfilled days, and they come in the same order in each run.
        static let played: [Order] =
            ProcessInfo.processInfo.environment["MARQUEE_ALL_ORDERS"] == nil ? [.withinWeeks] : Order.allCases
    }

    /// One request.
    private struct Step {
        let day: KoreanDate
        var priority = Request.Priority.live
        /// Which version of the day's chart the upstream has by then.
        var version = 1
    }

    /// All thirteen rules, so that they fire often.
    private static let rules: JSON = [
        "entered": [:], "left": [:], "rose": ["by": 3], "fell": ["by": 2, "inside": 5], "lead": [:],
        "reentered": ["after": 3], "opening": [:], "streak": ["days": [2, 3, 4, 5, 6, 7, 10, 14]],
        "milestone": ["totals": [100_000, 300_000, 500_000, 1_000_000, 3_000_000, 5_000_000, 10_000_000]],
        "best": ["after": 7], "screens": ["factor": 2, "from": 100], "correction": ["percent": 5, "from": 1_000],
        "anomaly": [:],
    ]

    @Test(
        "live, replay, dry run and --since decide what the documents say, in whatever order charts and corrections come",
        arguments: Order.played)
    func order(_ order: Order) async throws {
        var random = SeededGenerator(seed: order.rawValue)
        let folder = try TemporaryFolder()
        let recordings = try CorrectedRecordings(in: folder.file("recordings"), &random)
        let file = folder.file("rules.yml")
        try Data("rules: \(Self.rules.line)\n".utf8).write(to: URL(filePath: file))
        let settings = ["MARQUEE_RULES": file]
        try await ProcessHarness.run([.sandbox: ["--recorded", recordings.folder]], settings: settings) { harness, _ in
            try await fill(harness, with: steps(of: order, recordings.days, &random), atOnce: order == .fourAtOnce)
            // It is ready once it has read and decided everything.
            try await harness.restart(.notifier, by: SIGTERM)
            let live = try harness.state.alertLines()
            try await expectAgreement(of: live, in: .live, harness)
            let replay = try await harness.lines("replay", "--as", harness.state.database(of: .notifier))
            // Anomalies are in another stream, and come last in a replay.
            #expect(replay == live.filter(isOfChart) + live.filter { !isOfChart($0) })

            let history = try await harness.lines("replay")
            try await expectAgreement(of: history, in: .history, harness)
            let dryRun = try await harness.lines("replay", "--dry-run")
            #expect(try dryRun.dropLast() == history.map(dryRunLine)[...])
            #expect(try await alertsOfNewNotifier(harness) == history)
        }
    }

    // MARK: - Filling

    /// Returns the requests for an order: each day once, and days of the week before that have changed.
    private func steps(of order: Order, _ days: [KoreanDate], _ random: inout SeededGenerator) -> [Step] {
        let start = Int.random(in: 0..<days.count - 150, using: &random)
        let days = order == .dayByDay ? days : Array(days[start..<start + 150])
        let known = order == .dayByDay ? days : days.filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
        let steps: [Step]
        switch order {
        case .dayByDay, .fourAtOnce: steps = known.map { Step(day: $0) }
        case .backfillFirst:
            steps =
                known.dropLast(7).reversed().map { Step(day: $0, priority: .backfill) }
                + known.suffix(7).map { Step(day: $0) }
        case .withinWeeks:
            let places = known.map { Double($0.dayNumber) + .random(in: 0..<8, using: &random) }
            steps = zip(places, known).sorted { $0.0 < $1.0 }.map { Step(day: $0.1) }
        case .random:
            steps = known.shuffled(using: &random).map {
                Step(day: $0, priority: Bool.random(using: &random) ? .live : .backfill)
            }
        }
        var all: [Step] = []
        for (index, step) in steps.enumerated() {
            all.append(step)
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let corrected = steps[...index].suffix(Int.random(in: 0..<10, using: &random) == 0 ? 45 : 8)
                .randomElement(using: &random)
            all.append(
                Step(
                    day: corrected?.day ?? step.day,
                    priority: Int.random(in: 0..<5, using: &random) == 0 ? .backfill : .live,
                    version: Int.random(in: 1...3, using: &random)))
        }
        return all
    }

    private func fill(_ harness: ProcessHarness, with steps: [Step], atOnce: Bool) async throws {
        var left = steps[...]
        while let version = left.first?.version {
            let next = left.prefix { $0.version == version }
            left = left.dropFirst(next.count)
            let time = CorrectedRecordings.time(ofVersion: version)
            try await harness.setFaults(["clockOffset": .number(time.timeIntervalSince(FixedClock.now).rounded())])
            let requests = next.map { Request(.day($0.day, .all), refresh: true, priority: $0.priority) }
            try await harness.request(requests, atOnce: atOnce ? 4 : 1)
        }
    }

    // MARK: - Comparing

    private enum Mode: String {
        case live
        case history
    }

    /// Expects that the alerts are those that the independent rules find in the worker's log.
    private func expectAgreement(of lines: [String], in mode: Mode, _ harness: ProcessHarness) async throws {
        let oracle = "\(ProcessHarness.checkout)/Tests/System/Chaos/alert_rules.py"
        let program = try Program(
            ProcessHarness.python, ["-B", oracle, harness.state.database(of: .worker), Self.rules.line, mode.rawValue])
        for line in lines { try program.type(line + "\n") }
        let ending = try await program.finish()
        #expect(ending.status == 0, "\(mode): \(ending.output.prefix(10)) \(ending.output.suffix(1)) \(ending.errors)")
    }

    private func isOfChart(_ line: String) -> Bool { !line.contains(#""rule":"anomaly""#) }

    /// Returns an alert as `--dry-run` prints it.
    private func dryRunLine(_ line: String) throws -> String {
        let data = try JSON(line)["data"]
        return "\(data["date"].text ?? "")  \(data["text"]["en"].text ?? "")"
    }

    /// Returns the alerts of a notifier that is started now, with a database of its own.
    private func alertsOfNewNotifier(_ harness: ProcessHarness) async throws -> [String] {
        let state = try await harness.otherState()
        let own = [
            "MARQUEE_ALERTS": "tcp://127.0.0.1:*", "MARQUEE_ALERT_COMMANDS": "tcp://127.0.0.1:*",
            "MARQUEE_NOTIFIER_HTTP": "127.0.0.1:0",
        ]
        let notifier = try harness.start(
            ["notifier", "--since", "2003-11-11"], changes: own.merging(state.settings) { $1 })
        try #require(await notifier.error(containing: "all charts are read") != nil)
        notifier.signal(SIGTERM)
        #expect(await notifier.ended().status == 0)
        return try state.alertLines()
    }
}

/// Recorded charts of 2024, and two later versions of most of them with invented corrections.
private struct CorrectedRecordings {
    let folder: String
    private(set) var days: [KoreanDate] = []

    init(in folder: String, _ random: inout SeededGenerator) throws {
        self.folder = folder
        for file in try Recorded.files(in: "kobis/daily-2024") {
            for line in try Recorded.lines(file) {
                let chart = try JSON(String(decoding: line, as: UTF8.self))
                let day = try #require(chart["boxOfficeResult"]["showRange"].text.flatMap { KoreanDate($0.prefix(8)) })
                days.append(day)
                let name = String(day.description.filter { $0 != "-" })
                let path = URL(filePath: "\(folder)/kobis/revisions/\(name)")
                try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
                for version in 1...3 {
                    let body = version == 1 ? chart : corrected(chart, &random)
                    try Data(body.line.utf8).write(to: path.appending(path: "2025010\(version)T000000Z.json"))
                }
            }
        }
        days.sort()
    }

    /// A time at which the upstream has this version of all charts.
    static func time(ofVersion version: Int) -> Date {
        Date(timeIntervalSince1970: 1_735_689_600 + Double(version) * 86_400 - 43_200)  // 2025-01-01, and later at noon
    }

    /// Returns a chart with up to three corrections, or as it was.
    private func corrected(_ chart: JSON, _ random: inout SeededGenerator) -> JSON {
        var lines = chart["boxOfficeResult"]["dailyBoxOfficeList"].list
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let index = Bool.random(using: &random) ? 0 : Int.random(in: 0..<lines.count - 1, using: &random)
            let factor: Double = [0.5, 0.8, 1.2, 3].randomElement(using: &random) ?? 1
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1:
                // Two movies change places.
                let (upper, lower) = (lines[index], lines[index + 1])
                lines[index] = lower.setting(["rnum", "rank"], from: upper)
                lines[index + 1] = upper.setting(["rnum", "rank"], from: lower)
            case 2: lines[index] = lines[index].scaling("audiCnt", by: factor)
            case 3: lines[index] = lines[index].scaling("audiAcc", by: factor)
            case 4: lines[index] = lines[index].scaling("scrnCnt", by: factor)
            case 5:
                lines[index] = lines[index].setting("rankInten", to: .text("\(Int.random(in: -4...4, using: &random))"))
            default: lines.removeLast()
            }
        }
        var result = chart["boxOfficeResult"]
        result = result.setting("dailyBoxOfficeList", to: .list(lines))
        return chart.setting("boxOfficeResult", to: result)
    }
}

extension JSON {
    /// Returns the object with a field set.
    fileprivate func setting(_ name: String, to value: JSON) -> JSON {
        guard case .object(var fields) = self else { return self }
        fields[name] = value
        return .object(fields)
    }

    /// Returns the object with fields of another one.
    fileprivate func setting(_ names: [String], from other: JSON) -> JSON {
        names.reduce(self) { $0.setting($1, to: other[$1]) }
    }

    /// Returns the object with a number that is written as text multiplied.
    fileprivate func scaling(_ name: String, by factor: Double) -> JSON {
        setting(name, to: .text("\(Int((self[name].text.flatMap(Double.init) ?? 0) * factor))"))
    }
}
