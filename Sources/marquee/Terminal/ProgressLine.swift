import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Text
import Worker

/// The progress of a backfill in one line, with a bar on a terminal.
struct ProgressLine {
    let progress: BackfillProgress
    let forecast: BackfillForecast
    /// The calls left of today's quota, and the quota of a day.
    let quota: (left: Int, perDay: Int)
    let now: Date
    var language = Language.current

    /// Returns the line for a terminal with `width` columns.
    func text(width: Int) -> String {
        "\(Self.bar(share, cells: 24)) \(plain)".prefix(columns: max(width - 1, 20))
    }

    /// The line without a bar.
    var plain: String {
        let settled = progress.done + progress.failed
        var parts = [
            language(
                "\(settled.grouped) / \(progress.total.grouped)건", "\(settled.grouped) of \(progress.total.grouped)"),
            "\(Int(share * 100))%",
        ]
        if progress.failed > 0 {
            parts.append(language("수집 실패 \(progress.failed.grouped)건", "\(progress.failed.grouped) not available"))
        }
        if progress.isOver { return (parts + [language("완료", "done")]).joined(separator: " · ") }
        switch progress.rests {
        case .quotaExhausted: parts.append(language("오늘 호출 한도 소진, 자정에 재개", "waiting for tomorrow's quota"))
        case let code?: parts.append(language("일시 중지: \(code.korean)", "paused: \(code.rawValue)"))
        case nil: break
        }
        if progress.rests == nil, let rate = forecast.rate {
            parts.append(language("초당 \(Self.decimal(rate))건", "\(Self.decimal(rate))/s"))
        }
        parts.append(
            language(
                "오늘 남은 호출 \(quota.left.grouped) / \(quota.perDay.grouped)회",
                "\(quota.left.grouped) of today's \(quota.perDay.grouped) calls left"))
        if let days = forecast.days, days > 0 {
            parts.append(language("\(days)일 남음", "\(days) day\(days == 1 ? "" : "s") to go"))
        }
        if let end = forecast.end(at: now) {
            parts.append(language("\(Self.korean(end)) 완료 예정", "ends \(Self.korean(end)) in Korea"))
        }
        return parts.joined(separator: " · ")
    }

    private var share: Double {
        progress.total == 0 ? 1 : Double(progress.done + progress.failed) / Double(progress.total)
    }

    /// Returns a bar of `cells` cells that is filled to `share`, from 0 to 1.
    static func bar(_ share: Double, cells: Int) -> String {
        let filled = Int((min(max(share, 0), 1) * Double(cells)).rounded(.down))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled) + "]"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths >= 1000 ? (tenths / 10).grouped : "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns a time in Korea, without seconds.
    private static func korean(_ time: Date) -> String {
        let day = KoreanDate(at: time)
        let minutes = Int(time.timeIntervalSince(day.start)) / 60
        let time = [minutes / 60, minutes % 60].map { String(String(100 + $0).dropFirst()) }.joined(separator: ":")
        return "\(day) \(time)"
    }
}

/// Shows progress: on a terminal in one line that is replaced, otherwise (and on a dumb terminal) in a new line at most every 10 seconds.
final class ProgressPrinter: Sendable {
    /// The minimum time between two lines, if standard output is not a terminal.
    private static let pause = Duration.seconds(10)

    private let shown = Locked<(time: ContinuousClock.Instant, text: String)?>(nil)

    /// Replaces the last line.
    func show(_ line: ProgressLine, isLast: Bool) {
        if Console.canRewrite {
            Console.rewrite(line.text(width: Console.width), isLast: isLast)
        } else {
            print(line.plain, isUrgent: isLast)
        }
    }

    /// Replaces the last line by a warning.
    func showWarning(_ text: String) {
        if Console.canRewrite { Console.rewrite(text, isLast: false) } else { print(text, isUrgent: false) }
    }

    private func print(_ text: String, isUrgent: Bool) {
        let now = ContinuousClock.now
        let isDue = shown.withLock { shown in
            guard let last = shown, !isUrgent else { return true }
            return last.text != text && last.time.duration(to: now) >= Self.pause
        }
        guard isDue else { return }
        shown.withLock { $0 = (now, text) }
        Console.print(text)
    }
}
