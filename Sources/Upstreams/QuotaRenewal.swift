public import BoxOffice
public import FoundationEssentials

extension KoreanDate {
    /// Returns the time from `instant` to the next midnight in Korea, when the daily quotas of KOBIS and Kakao are
    /// assumed to renew.
    ///
    /// Neither service documents the time of renewal; both are Korean, and both limit requests per day.
    public static func timeToMidnight(at instant: Date) -> Duration {
        let seconds = (KoreanDate(at: instant) + 1).start.timeIntervalSince(instant)
        return .seconds(Int(seconds.rounded(.up)))  // Fits: a day at most.
    }
}
