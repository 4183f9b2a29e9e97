import BoxOffice
import Contract
import FoundationEssentials
import Messaging
import ServiceRuntime
import Text
import ZeroMQ

struct WatchCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "watch", arguments: "[topic…]",
            summary: localized("발행되는 이벤트와 알림을 실시간으로 출력합니다.", "Prints events and alerts as they are published."),
            details: localized(
                """
                토픽은 앞부분(접두사)만 지정해도 됩니다. 예: ranking.day.all, movie., request.failed, alert., heartbeat.
                지정하지 않으면 모든 이벤트를 출력합니다. 표시되는 시각은 이벤트 발생 시각(한국 시간)입니다.
                """,
                """
                A topic is a prefix such as ranking.day.all, movie., request.failed, alert. or heartbeat.; without one, all
                events are shown. Times are those of the events, in Korea.
                """),
            options: [.json])
    }

    private let prefixes: [String]
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        prefixes = arguments.positional.isEmpty ? [""] : arguments.positional
        printsJSON = arguments.has("--json")
        for prefix in prefixes where !Topic.canBegin(with: Array(prefix.utf8)) {
            let words = Stream.allCases.map { "\($0.rawValue)." } + [Heartbeat.topicPrefix]
            throw UsageError(
                "없는 토픽입니다: \(prefix.visiblyQuoted). 토픽의 앞부분: \(words.joined(separator: ", "))",
                "no topic begins with \(prefix.visiblyQuoted); topics begin with \(words.joined(separator: ", "))")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        let io = try configuration.makeClientThread()
        try await withThrowingTaskGroup { tasks in
            for (process, addresses) in [
                ("worker", configuration.reachableEvents), ("notifier", configuration.reachableAlerts),
            ] {
                let reader = try await EventReader(io, addresses: addresses, prefixes: prefixes)
                tasks.addTask {
                    _ = try await reader.read(onHeartbeat: show) { events, _ -> Never? in
                        for event in events { show(event) }
                        return nil
                    }
                }
                guard publishesWanted(process) else { continue }
                let heartbeats = try await HeartbeatReader(io, of: process, addresses: addresses, clock: .continuous)
                tasks.addTask { await heartbeats.run() }
                tasks.addTask { try await reportSilence(heartbeats, addresses.joined(separator: ", ")) }
            }
            await signals.first()
            await io.shutdown()
            tasks.cancelAll()
        }
        return .done
    }

    /// Whether a process publishes topics that begin with one of the prefixes.
    private func publishesWanted(_ process: String) -> Bool {
        let streams = Stream.allCases.filter { ($0 == .alert) == (process == "notifier") }
        let topics = streams.map { "\($0.rawValue)." } + [Heartbeat.topicPrefix + process]
        return prefixes.contains { prefix in topics.contains { $0.hasPrefix(prefix) || prefix.hasPrefix($0) } }
    }

    /// Prints when a process stops to send heartbeats, and when it sends them again.
    private func reportSilence(_ heartbeats: HeartbeatReader, _ address: String) async throws {
        var isKnown = false
        try await Task.sleep(for: HeartbeatReader.timeout)
        while true {
            if let problem = heartbeats.problem, !isKnown {
                Console.printError(
                    "marquee: \(address)에서 하트비트가 오지 않습니다. 프로세스가 실행되면 이벤트가 표시됩니다",
                    "marquee: \(problem) at \(address); events are shown once it runs")
            } else if heartbeats.isAlive, isKnown {
                Console.printError(
                    "marquee: \(address)에서 하트비트가 다시 옵니다", "marquee: heartbeats arrive from \(address) again")
            }
            isKnown = !heartbeats.isAlive
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Prints a heartbeat if a topic asks for it; without topics they would hide the events.
    private func show(_ heartbeat: Message) {
        let topic = String(decoding: heartbeat.frames[0], as: UTF8.self)
        guard heartbeat.frames.count == 2, prefixes.contains(where: { !$0.isEmpty && topic.hasPrefix($0) }) else {
            return
        }
        if printsJSON { return Console.print(String(decoding: heartbeat.frames[1], as: UTF8.self)) }
        let positions = Heartbeat(frames: heartbeat.frames)?.positions ?? [:]
        let text = positions.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value.value.grouped)" }.joined(separator: " · ")
        Console.print("\(TerminalColor.dim.paint(Date().koreanText))  \(topic)  \(text)")
    }

    private func show(_ event: Event) {
        Console.print(printsJSON ? String(decoding: event.body, as: UTF8.self) : EventFormatter(event: event).text)
    }
}
