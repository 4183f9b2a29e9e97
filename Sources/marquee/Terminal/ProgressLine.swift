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
    let now: Date
    var language = Language.current

    /// Returns the line for a terminal with `width` columns.
    func text(width: Int) -> String {
        "\(Self.bar(share, cells: 24)) \(plain)".prefix(columns: max(width - 1, 20))
    }

    /// The line without a bar.
    var plain: String {
        var parts = progress.counts(in: language)
        parts.insert("\(Int(share * 100))%", at: 1)
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
                "오늘 남은 호출 \(forecast.leftToday.grouped) / \(forecast.perDay.grouped)회",
                "\(forecast.leftToday.grouped) of today's \(forecast.perDay.grouped) calls left"))
        if let days = forecast.days, days > 0 {
            parts.append(language("\(days)일 남음", "\(days) day\(days == 1 ? "" : "s") to go"))
        }
        if let end = forecast.end(at: now) {
            let minute = end.koreanText.dropLast(":00".count)
            parts.append(language("\(minute) 완료 예정", "ends \(minute) in Korea"))
        }
        return parts.joined(separator: " · ")
    }

    private var share: Double {
        progress.total == 0 ? 1 : Double(progress.settled) / Double(progress.total)
    }

    /// Returns a bar of `cells` cells that is filled to `share`, from 0 to 1.
    static func bar(_ share: Double, cells: Int) -> String {
        let filled = Int(share * Double(cells))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled) + "]"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths >= 1000 ? (tenths / 10).grouped : "\(tenths / 10).\(tenths % 10)"
    }
}

extension BackfillProgress {
    /// The number of charts and movies that are in the log, or are not available.
    var settled: Int { done + failed }

    /// How many are settled of all, and how many are not available, if any.
    func counts(in language: Language) -> [String] {
        let (settled, total) = (settled.grouped, total.grouped)
        let count = language("\(settled) / \(total)건", "\(settled) of \(total)")
        guard failed > 0 else { return [count] }
        return [count, language("수집 실패 \(failed.grouped)건", "\(failed.grouped) not available")]
    }
}

/// Estimates the end of a backfill from the remaining work, the quota and the rate.
struct BackfillForecast: Hashable, Sendable {
    /// The number of charts and movies left.
    let remaining: Int
    /// The number of calls left for backfills today.
    let leftToday: Int
    /// The number of calls for backfills in a day.
    let perDay: Int
    /// The recent rate, per second; nil while it is unknown.
    let rate: Double?

    /// The number of midnights until the end; nil if no day has calls for backfills.
    var days: Int? {
        guard remaining > leftToday else { return 0 }
        return perDay > 0 ? (remaining - leftToday + perDay - 1) / perDay : nil
    }

    /// Returns the estimated end at the present rate; nil if it is unknown.
    func end(at now: Date) -> Date? {
        guard let days, let rate, rate > 0 else { return nil }
        if days == 0 { return now + Double(remaining) / rate }
        let last = remaining - leftToday - (days - 1) * perDay
        return (KoreanDate(at: now) + days).start + Double(last) / rate
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
