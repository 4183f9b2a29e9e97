import BoxOffice
import Contract
import EventStore
import Text

/// The text of a day's or a week's chart.
struct ChartText {
    private let chart: Chart
    private let head: String
    /// The head of the change against the day or the week before.
    private let change: String
    private let language: Language

    init(chart: Chart, in language: Language = .current) {
        self.chart = chart
        self.language = language
        head = language("\(chart.date) 일별 박스오피스", "Daily box office of \(chart.date)")
        change = language("관객수 증감률", "Change")
    }

    init(_ weekly: WeekChart, in language: Language = .current) {
        chart = weekly.chart
        self.language = language
        let days = "\(weekly.week.firstDay) ~ \(weekly.week.lastDay)"
        head = language(
            "\(days) \(weekly.week.span.name(in: .ko)) 박스오피스", "\(weekly.week.span.name(in: .en)) box office of \(days)"
        )
        change = language("전주대비", "Week change")
    }

    /// Makes the table of the chart in an event.
    init(_ event: Event) throws {
        if case .weekRanking = event.topic { self.init(try event.data()) } else { self.init(chart: try event.data()) }
    }

    private var columns: [Column<ChartEntry>] {
        let movies = chart.entries.map(NamedMovie.init)
        return [
            .right(language("순위", "Rank")) { $0.rank.map(String.init) ?? "?" },
            .left(language("변동", "Move")) { $0.movement.text(in: language) },
            .left(language("영화명", "Title")) { NamedMovie($0).distinctTitle(among: movies) },
            .right(language("관객수", "Admissions")) { $0.audience?.grouped ?? "?" },
            .right(change, extra: 1) { entry in
                entry.audienceChange.map { "\($0.tenths > 0 ? "+" : "")\($0)%" } ?? ""
            },
            .right(language("누적관객수", "Total")) { $0.audienceTotal?.grouped ?? "?" },
            .right(language("매출액", "Gross"), extra: 3) { $0.sales.map { "₩\($0.grouped)" } ?? "" },
            .right(language("매출액 점유율", "Share"), extra: 2) { $0.salesShare.map { "\($0)%" } ?? "" },
            .right(language("스크린수", "Screens"), extra: 4) { $0.screens?.grouped ?? "" },
        ]
    }

    /// The title, the column heads and a line for each movie, with as many columns as fit into `width`.
    func lines(width: Int = Console.width) -> [String] {
        let market = chart.market.names(in: language).map { " · \($0)" }.joined()
        // A revision does not always correct figures; it may only mark them as settled.
        let revision = chart.revision > 1 ? " · " + language("\(chart.revision)차 집계", "revision \(chart.revision)") : ""
        let columns = columns.filter { column in
            column.extra == 0 || chart.entries.contains { !column.cell($0).isEmpty }
        }
        let tables = (0...4).reversed().lazy.map { most in chart.entries.table(columns.filter { $0.extra <= most }) }
        let table = tables.first { rows in rows.allSatisfy { $0.columns <= width } } ?? tables.last ?? []
        return [TerminalColor.bold.paint("\(head)\(market) · \(chart.state.name(in: language))\(revision)")] + table
    }
}

extension Market {
    /// The names of the filters; empty for the whole market.
    func names(in language: Language) -> [String] {
        let nation: String? =
            switch nation {
            case .korean: language("한국영화", "Korean movies")
            case .foreign: language("외국영화", "foreign movies")
            case nil: nil
            }
        let films: String? =
            switch films {
            case .diverse: language("독립·예술영화", "art-house movies")
            case .commercial: language("일반영화", "commercial movies")
            case nil: nil
            }
        let area = area.map { code in
            let known = Self.areas.first { $0.area == code }
            return known.map { language($0.name, $0.nameEnglish ?? $0.name) } ?? "\(code)"
        }
        return [nation, films, area].compactMap(\.self)
    }
}

/// The text of the revisions of a chart: the time and the corrections of each.
struct RevisionTable {
    let revisions: [ChartRevision]
    var language = Language.current

    /// The column heads, and for each revision a line for each of its corrections.
    var lines: [String] {
        let heads = [
            language("차수", "Rev."), language("수집 시각", "Fetched at"), language("상태", "State"),
            language("정정", "Corrections"), "", "",
        ]
        let rows = revisions.flatMap { revision in
            let chart = revision.chart
            let titles = Dictionary(chart.entries.map { ($0.movieCode, $0.title) }, uniquingKeysWith: { $1 })
            let corrections = (chart.corrections ?? []).map { $0.cells(titles, in: language) }
            let head = ["\(chart.revision)", revision.recordedAt.koreanText, chart.state.name(in: language)]
            return (corrections.isEmpty ? [["-", "", ""]] : corrections).enumerated()
                .map { ($0 == 0 ? head : ["", "", ""]) + $1 }
        }
        return ([heads] + rows).aligned(right: [0])
    }
}

extension Chart.State {
    func name(in language: Language) -> String {
        self == .settled ? language("확정", "final") : language("잠정", "provisional")
    }
}

extension Correction {
    /// The cells of the movie, the field and its old and new value.
    fileprivate func cells(_ titles: [MovieCode: String], in language: Language) -> [String] {
        let movie = titles[movieCode] ?? "\(movieCode)"
        return switch change {
        case .field(let field, let before, let after):
            [movie, field.name(in: language), "\(before.text(in: language)) → \(after.text(in: language))"]
        case .entry(let before, let after):
            [
                after?.title ?? before?.title ?? movie, language("순번", "Row"),
                "\(before.map { "\($0.line)" } ?? "-") → \(after.map { "\($0.line)" } ?? "-")",
            ]
        }
    }
}

extension ChartEntry.Field {
    fileprivate func name(in language: Language) -> String {
        switch self {
        case .line: language("순번", "Row")
        case .rank: language("순위", "Rank")
        case .rankChange: language("순위 변동", "Rank change")
        case .isNew: language("신규 진입 여부", "New")
        case .movieCode: language("영화 코드", "Movie code")
        case .title: language("영화명", "Title")
        case .openDate: language("개봉일", "Release date")
        case .sales: language("매출액", "Gross")
        case .salesShare: language("매출액 점유율", "Gross share")
        case .salesDelta: language("매출액 증감", "Gross change")
        case .salesChange: language("매출액 증감률", "Gross change, %")
        case .salesTotal: language("누적매출액", "Total gross")
        case .audience: language("관객수", "Admissions")
        case .audienceDelta: language("관객수 증감", "Admissions change")
        case .audienceChange: language("관객수 증감률", "Admissions change, %")
        case .audienceTotal: language("누적관객수", "Total admissions")
        case .screens: language("스크린수", "Screens")
        case .showings: language("상영횟수", "Screenings")
        }
    }
}

extension ChartEntry.Value {
    fileprivate func text(in language: Language) -> String {
        switch self {
        case .null: "-"
        case .flag(let flag): flag ? language("예", "yes") : language("아니요", "no")
        case .integer(let number): number.grouped
        case .percent(let percent): "\(percent)%"
        case .text(let text): text
        }
    }
}
