public import BoxOffice
public import FoundationEssentials

extension KoreanDate {
    /// The time from `instant` to the next midnight in Korea, when the quotas of a day are taken to start anew.
    ///
    /// When they really do is not documented by either service; both are Korean, and both speak of days.
    public static func timeToMidnight(at instant: Date) -> Duration {
        let seconds = (KoreanDate(at: instant) + 1).start.timeIntervalSince(instant)
        return .seconds(Int(seconds.rounded(.up)))
    }
}
