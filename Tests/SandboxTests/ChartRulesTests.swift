import BoxOffice
import Foundation
import TestSupport
import Testing

@testable import Sandbox

/// About twelve days of every year, on all days of the week.
private let sampledDays = stride(from: KoreanDate.firstChart.dayNumber, to: 20_760, by: 31).map(KoreanDate.init)

/// A time at which all sampled days are settled.
let settledInstant = Date(timeIntervalSince1970: 20_800 * 86_400)

@Suite(.ownThread) struct ChartRulesTests {
    let world = World(seed: 1)
    let settled = PublishedView(at: settledInstant)

    private func chart(_ date: KoreanDate, _ market: Market = .all) -> [ChartLine] {
        world.chart(of: ChartPeriod(day: date), in: market, as: settled)
    }

    @Test("each day has ten lines ordered by audience, ranked with ties, with shares below 100 in total")
    func order() throws {
        for date in sampledDays {
            let lines = chart(date)
            #expect(lines.map(\.rnum) == (1...10).map(String.init))
            let audience = lines.compactMap { Int($0.audiCnt) }
            #expect(audience.count == 10 && audience == audience.sorted(by: >))
            for (line, count) in zip(lines, audience) {
                #expect(line.rank == String(1 + audience.count { $0 > count }))
            }
            let shares = lines.compactMap { Double($0.salesShare) }.reduce(0, +)
            #expect(shares > 60 && shares < 100, "\(date): \(shares)")
            #expect(Set(lines.map(\.movieCd)).count == 10)
        }
    }

    @Test(
        "totals add up, and changes are the differences between two settled days",
        arguments: [Market.all, artHouse, seoul])
    func arithmetic(market: Market) throws {
        var pairs = 0
        for date in sampledDays {
            let before = Dictionary(uniqueKeysWithValues: chart(date, market).map { ($0.movieCd, $0) })
            for line in chart(date + 1, market) {
                let now = try Figures(line)
                guard line.rankOldAndNew == "OLD" else {
                    #expect(before[line.movieCd] == nil)
                    #expect(now.rankDelta == 0 && now.salesDelta == now.sales && now.audienceDelta == now.audience)
                    #expect(line.salesChange == "100" && line.audiChange == "100")
                    continue
                }
                #expect(line.audiChange == Percent(now.audienceDelta, of: now.audience - now.audienceDelta).description)
                #expect(line.salesChange == Percent(now.salesDelta, of: now.sales - now.salesDelta).description)
                guard let earlier = try before[line.movieCd].map(Figures.init) else { continue }
                pairs += 1
                #expect(now.audienceTotal == earlier.audienceTotal + now.audience)
                #expect(now.salesTotal == earlier.salesTotal + now.sales)
                #expect(now.audienceDelta == now.audience - earlier.audience)
                #expect(now.salesDelta == now.sales - earlier.sales)
                #expect(now.rankDelta == earlier.rank - now.rank)
            }
        }
        #expect(pairs > 2000)
    }

    @Test("over the years the charts show all oddities of real charts")
    func oddities() throws {
        var seen: Set<String> = []
        for number in stride(from: KoreanDate.firstChart.dayNumber, to: 20_760, by: 6) {
            let date = KoreanDate(dayNumber: number)
            let lines = chart(date)
            for line in lines {
                let isNew = line.rankOldAndNew == "NEW"
                if line.openDt == " " { seen.insert("no opening day") }
                if let opening = KoreanDate(line.openDt) {
                    if opening > date { seen.insert(isNew ? "new preview" : "old preview") }
                    if isNew, opening < date - 30 { seen.insert("re-release") }
                }
                if isNew, line.audiAcc != line.audiCnt { seen.insert("new with a past") }
                if let rose = Int(line.rankInten), rose > 20 { seen.insert("comeback") }
                if line.movieCd.contains(where: \.isLetter) { seen.insert("letter in a code") }
                if line.movieNm.contains("\t") { seen.insert("tab") }
                if line.movieNm.contains("\u{A0}") { seen.insert("no-break space") }
                if line.movieNm.hasSuffix(" ") { seen.insert("trailing blank") }
                if line.movieNm.hasPrefix(" ") { seen.insert("leading blank") }
                if line.movieNm.contains("<") { seen.insert("angle brackets") }
                if line.movieNm.utf8.count == line.movieNm.count { seen.insert("English title") }
            }
            if Set(lines.map(\.rank)).count < lines.count { seen.insert("tie") }
            if lines.map(\.salesAmt).compactMap({ Int($0) }) != lines.compactMap({ Int($0.salesAmt) }).sorted(by: >) {
                seen.insert("sales out of order")
            }
        }
        #expect(
            seen == [
                "no opening day", "new preview", "old preview", "re-release", "new with a past", "comeback",
                "letter in a code", "tab", "no-break space", "trailing blank", "leading blank", "angle brackets",
                "English title", "tie", "sales out of order",
            ])
    }

    @Test("filters rank movies within their market", arguments: Market.Nation.allCases)
    func nations(nation: Market.Nation) {
        let date = KoreanDate.firstChart + 5000
        let all = world.ranking(of: ChartPeriod(day: date), in: .all, as: settled)
        let some = world.ranking(of: ChartPeriod(day: date), in: Market(nation: nation), as: settled)
        #expect(some.first?.rank == 1)
        #expect(some.map(\.movie.code) == all.filter { $0.movie.isKorean == (nation == .korean) }.map(\.movie.code))
    }

    @Test("the audience and sales of all areas add up to those of the country")
    func areas() {
        let date = KoreanDate.firstChart + 6000
        let country = world.ranking(of: ChartPeriod(day: date), in: .all, as: settled)
        let areas = Market.areas.map { named in
            world.ranking(of: ChartPeriod(day: date), in: Market(area: named.area), as: settled)
        }
        #expect(country.reduce(0) { $0 + $1.sales } == areas.joined().reduce(0) { $0 + $1.sales })
        #expect(country.reduce(0) { $0 + $1.audience } == areas.joined().reduce(0) { $0 + $1.audience })
        #expect(Set(areas.map { $0.prefix(10).map(\.movie.code) }).count > 10)
    }

    @Test("a weekly chart adds up its days and keeps trailing decimals", arguments: Week.Span.allCases)
    func weekly(span: Week.Span) throws {
        let period = ChartPeriod(Week(of: KoreanDate.firstChart + 3000, span: span))
        let lines = world.chart(of: period, in: .all, as: settled)
        let first = try #require(lines.first)
        let movie = try #require(world.movie(code: first.movieCd, as: settled))
        let days = period.days.compactMap {
            RankedMovie(of: movie, areaShare: .country, in: ChartPeriod(day: $0), as: settled)
        }
        #expect(first.audiCnt == String(days.reduce(0) { $0 + $1.audience }))
        for line in lines {
            #expect(line.audiChange.contains(".") && line.salesChange.contains("."))
        }
    }
}

private let artHouse = Market(films: .diverse)
private let seoul = Market(area: Market.Area("0105001"))

/// The numbers in a line.
private struct Figures {
    let rank: Int
    let rankDelta: Int
    let sales: Int
    let salesDelta: Int
    let salesTotal: Int
    let audience: Int
    let audienceDelta: Int
    let audienceTotal: Int

    init(_ line: ChartLine) throws {
        rank = try #require(Int(line.rank))
        rankDelta = try #require(Int(line.rankInten))
        sales = try #require(Int(line.salesAmt))
        salesDelta = try #require(Int(line.salesInten))
        salesTotal = try #require(Int(line.salesAcc))
        audience = try #require(Int(line.audiCnt))
        audienceDelta = try #require(Int(line.audiInten))
        audienceTotal = try #require(Int(line.audiAcc))
    }
}
