import BoxOffice

/// The days that a chart adds up: one day, a week or a part of one.
struct ChartPeriod: Hashable, Sendable {
    /// Which days of a week a weekly chart is about; the raw value is the call's `weekGb`.
    enum Part: String, Sendable {
        case week = "0"
        case weekend = "1"
        case weekdays = "2"
    }

    let first: KoreanDate
    let last: KoreanDate
    /// How many days lie between this chart and the one it is compared with.
    let stride: Int

    /// A single day.
    init(day: KoreanDate) {
        first = day
        last = day
        stride = 1
    }

    /// A part of the week that `date` lies in.
    init(_ part: Part, of date: KoreanDate) {
        let monday = ReleaseWeek(of: date).monday
        first = part == .weekend ? monday + 4 : monday
        last = part == .weekdays ? monday + 3 : monday + 6
        stride = 7
    }

    private init(first: KoreanDate, last: KoreanDate, stride: Int) {
        self.first = first
        self.last = last
        self.stride = stride
    }

    /// The span that this one is compared with.
    var before: ChartPeriod {
        ChartPeriod(first: first - stride, last: last - stride, stride: stride)
    }

    var days: [KoreanDate] {
        (first.dayNumber...last.dayNumber).map(KoreanDate.init(dayNumber:))
    }
}
