import BoxOffice
import FoundationEssentials

extension Date {
    /// The time of day in Korea, `15:23:00`.
    var koreanTime: String {
        let day = KoreanDate(at: self)
        let seconds = Int(timeIntervalSince(day.start))
        return [seconds / 3600, seconds / 60 % 60, seconds % 60]
            .map { String(String(100 + $0).dropFirst()) }.joined(separator: ":")
    }
}
