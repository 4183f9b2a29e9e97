import BoxOffice
import Contract
import FoundationEssentials
import Worker

/// A backfill's progress in one line, with a bar where there is room for one.
struct ProgressLine {
    let progress: BackfillProgress
    let forecast: BackfillForecast
    /// The calls that are left of today's, and those that a day has.
    let quota: (left: Int, perDay: Int)
    let now: Date

    /// The line for a terminal of so many columns.
    func text(width: Int) -> String {
        let bar = Self.bar(share, cells: 24)
        return String("\(bar) \(plain)".prefix(max(width - 1, 20)))
    }

    /// The line without a bar.
    var plain: String {
        let settled = progress.done + progress.failed
        var parts = ["\(settled.grouped) of \(progress.total.grouped)", "\(Int(share * 100)) %"]
        if progress.failed > 0 { parts.append("\(progress.failed.grouped) not to be had") }
        if progress.isOver { return (parts + ["over"]).joined(separator: " · ") }
        switch progress.rests {
        case .quotaExhausted: parts.append("waits for tomorrow's quota")
        case let code?: parts.append("rests: \(code.rawValue)")
        case nil: break
        }
        if progress.rests == nil, let rate = forecast.rate { parts.append("\(Self.decimal(rate))/s") }
        parts.append("quota \(quota.left.grouped) of \(quota.perDay.grouped) today")
        if let days = forecast.days, days > 0 { parts.append("\(days) day\(days == 1 ? "" : "s") to go") }
        if let end = forecast.end(at: now) { parts.append("ends \(Self.korean(end))") }
        return parts.joined(separator: " · ")
    }

    private var share: Double {
        progress.total == 0 ? 1 : Double(progress.done + progress.failed) / Double(progress.total)
    }

    /// A bar that is filled to a share.
    static func bar(_ share: Double, cells: Int) -> String {
        let filled = Int((min(max(share, 0), 1) * Double(cells)).rounded(.down))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled) + "]"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths >= 1000 ? (tenths / 10).grouped : "\(tenths / 10).\(tenths % 10)"
    }

    /// A time in Korea, without seconds.
    private static func korean(_ time: Date) -> String {
        let day = KoreanDate(at: time)
        let minutes = Int(time.timeIntervalSince(day.start)) / 60
        let clock = [minutes / 60, minutes % 60].map { String(String(100 + $0).dropFirst()) }.joined(separator: ":")
        return "\(day) \(clock) in Korea"
    }
}
