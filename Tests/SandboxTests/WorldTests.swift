import BoxOffice
import Foundation
import JSONCoding
import TestSupport
import Testing

@testable import Sandbox

struct WorldTests {
    private let day = KoreanDate(dayNumber: 19_878)  // 2024-06-04

    private func chart(_ world: World, at instant: Date) -> [ChartLine] {
        world.chart(of: ChartPeriod(day: day), in: .all, as: PublishedView(at: instant))
    }

    @Test("the same seed generates the same world in any order of requests, and another seed another world")
    func determinism() {
        let one = World(seed: 7)
        let other = World(seed: 7)
        _ = other.chart(of: ChartPeriod(day: .firstChart), in: .all, as: PublishedView(at: settledInstant))
        #expect(chart(one, at: settledInstant) == chart(other, at: settledInstant))
        #expect(chart(one, at: settledInstant) != chart(World(seed: 8), at: settledInstant))
    }

    @Test("seed 1 generates the world that the docs describe")
    func golden() {
        let lines = chart(World(seed: 1), at: settledInstant)
        #expect(lines.map { "\($0.movieCd) \($0.audiCnt) \($0.salesAcc)" } == goldenLines)
    }

    @Test("a day has a chart from 00:05 of the next day; future days and days before the first chart have none")
    func publication() {
        let world = World(seed: 1)
        let midnight = (day + 1).start
        #expect(chart(world, at: midnight + 299).isEmpty)
        #expect(chart(world, at: midnight + 301).count == 10)
        let publishedView = PublishedView(at: midnight + 3600)
        for date in [day + 1, day + 2, .firstChart - 1] {
            #expect(world.chart(of: ChartPeriod(day: date), in: .all, as: publishedView).isEmpty)
        }
    }

    @Test("figures change in small corrections until the day settles, then never again")
    func corrections() throws {
        let world = World(seed: 1)
        let hours = [1, 10, 15, 33, 72.5]
        let versions = hours.map { chart(world, at: (day + 1).start + $0 * 3600) }
        for (earlier, later) in zip(versions, versions.dropFirst()) {
            #expect(earlier != later)
            for line in earlier {
                guard let same = later.first(where: { $0.movieCd == line.movieCd }),
                    let before = Int(line.audiCnt), let after = Int(same.audiCnt)
                else { continue }
                #expect(abs(before - after) <= 80)
            }
        }
        #expect(versions.last == chart(world, at: settledInstant))
        #expect(chart(world, at: (day + 1).start + 11 * 3600) == versions[1])
    }

    @Test("the provisional figures of a day agree with those of the day before")
    func provisionalArithmetic() throws {
        let world = World(seed: 1)
        let publishedView = PublishedView(at: (day + 1).start + 3600)
        let before = Dictionary(
            uniqueKeysWithValues: world.chart(of: ChartPeriod(day: day - 1), in: .all, as: publishedView).map {
                ($0.movieCd, $0)
            })
        let pairs = chart(world, at: (day + 1).start + 3600).compactMap { line in
            before[line.movieCd].map { (line, $0) }
        }
        #expect(pairs.count > 5)
        for (line, earlier) in pairs {
            #expect(Int(line.audiAcc) == (Int(earlier.audiAcc) ?? 0) + (Int(line.audiCnt) ?? 0))
            #expect(Int(line.audiInten) == (Int(line.audiCnt) ?? 0) - (Int(earlier.audiCnt) ?? 0))
        }
    }

    @Test("a code identifies its movie, and other texts identify none")
    func codes() {
        var codes: Set<String> = []
        for week in 1_770..<2_970 {
            for slot in 0..<SimulatedMovieID.slots {
                let id = SimulatedMovieID(week: ReleaseWeek(number: week), slot: slot)
                #expect(SimulatedMovieID(code: id.code) == id && MovieCode(id.code) != nil)
                codes.insert(id.code)
            }
        }
        #expect(codes.count == 1_200 * SimulatedMovieID.slots)
        let publishedView = PublishedView(at: settledInstant)
        let ancient = SimulatedMovieID(week: ReleaseWeek(number: 0), slot: 0)
        #expect(World(seed: 1).movie(code: ancient.code, as: publishedView) == nil)
        #expect(World(seed: 1).search("x", as: PublishedView(at: .distantPast)).movies.isEmpty)
        for text in ["", "2024", "2024000", "202400000", "2024Z001", "2024+001", "abcd0001", "9999999999999999"] {
            #expect(SimulatedMovieID(code: text) == nil)
        }
    }

    @Test("a search finds a movie by its title, with or without words such as poster behind it")
    func titles() throws {
        let world = World(seed: 1)
        let publishedView = PublishedView(at: settledInstant)
        for line in chart(world, at: settledInstant) {
            let found = world.search("\(line.movieNm) 2024 한가람 영화 포스터", as: publishedView)
            #expect(found.movies.map(\.code).contains(line.movieCd))
            #expect(found.words == ["2024", "한가람"])
        }
        #expect(world.search("아무도 만들지 않은 영화", as: publishedView).movies.isEmpty)
    }

    @Test("titles return after 26 years, and fewer than three of a hundred movies have a namesake, as in life")
    func namesakes() {
        #expect(Set((0..<MovieTitle.count).map { MovieTitle(number: $0).korean }).count == MovieTitle.count)
        let newest = ReleaseWeek(of: KoreanDate(dayNumber: 20_818))  // 2026-12-31
        for seed in [UInt64(1), 7] {
            let titles = World(seed: seed).titles(upTo: newest)
            let movies = titles.values.reduce(0) { $0 + $1.count }
            let namesakes = titles.values.filter { $0.count > 1 }.reduce(0) { $0 + $1.count }
            #expect((0.005..<0.03).contains(Double(namesakes) / Double(movies)), "\(namesakes) of \(movies)")
            #expect(titles.values.allSatisfy { $0.count <= 2 })
        }
    }

    @Test("no two films of one title are among the first ten of a day", .ownThread)
    func noNamesakesInOneChart() {
        // 2026-12-31; the world of the demo has seed 1.
        let world = World(seed: 1)
        let publishedView = PublishedView(at: KoreanDate(dayNumber: 20_820).start)
        for number in KoreanDate.firstChart.dayNumber...20_818 {
            let day = KoreanDate(dayNumber: number)
            let movies = world.ranking(of: ChartPeriod(day: day), in: .all, as: publishedView).prefix(10).map(\.movie)
            #expect(movies.count == 10 && Set(movies.map(\.plainTitle)).count == 10, "\(day)")
        }
    }

    @Test("the facts of movies are incomplete like real ones")
    func facts() {
        let movies = (2_800..<2_830).flatMap { World(seed: 1).movies(openingIn: ReleaseWeek(number: $0)) }
        let facts = movies.map(\.facts)
        func part(_ isSo: (SimulatedFacts) -> Bool) -> Double { Double(facts.count(where: isSo)) / Double(facts.count) }
        #expect((0.05...0.5).contains(part { $0.directors.isEmpty }))
        #expect((0.1...0.7).contains(part { $0.actors.isEmpty }))
        #expect(part { $0.staff.isEmpty } > 0.6)
        #expect(part { $0.audits.isEmpty } > 0)
        #expect(part { $0.audits.count > 1 } > 0)
        #expect(part { $0.audits.contains { String(decoding: $0.json, as: UTF8.self).contains(#" ",""#) } } > 0.2)
        #expect(part { $0.minutes.isEmpty } > 0)
        #expect((0.005...0.08).contains(Double(movies.count { $0.titleEnglish.isEmpty }) / Double(movies.count)))
    }

    @Test("years look like life: how many go, how many movies have ten million, how movies open and fall", .ownThread)
    func years() {
        let movies = (1_766..<2_975).flatMap { week in
            (0..<SimulatedMovieID.slots).map { slot in
                SimulatedMovie(SimulatedMovieID(week: ReleaseWeek(number: week), slot: slot), seed: 1)
            }
        }
        let years = 18_993...20_818  // 2022-01-01 to 2026-12-31
        var tickets: [Int: Int] = [:]
        for run in movies.flatMap(\.theatricalRuns) {
            for (index, audience) in run.audience.enumerated() where years.contains(run.first.dayNumber + index) {
                tickets[(run.first + index).year, default: 0] += Int(audience)
            }
        }
        #expect(tickets.count == 5 && tickets.values.allSatisfy((90_000_000...145_000_000).contains), "\(tickets)")
        #expect((100_000_000...125_000_000).contains(tickets.values.reduce(0, +) / 5))

        var hits: [Int: Int] = [:]
        var (openings, falls): ([Double], [Double]) = ([], [])
        for movie in movies {
            let total = movie.theatricalRuns.reduce(0) { $0 + $1.audience.reduce(0) { $0 + Int($1) } }
            #expect(total <= 18_000_000, "\(movie.code)")
            if total > 10_000_000 { hits[movie.opening.year, default: 0] += 1 }
            guard total > 1_000_000 else { continue }
            let weeks = (0...1).map { week in
                (0..<7).reduce(0) { $0 + movie.theatricalRuns[0].audience(on: movie.opening + 7 * week + $1) }
            }
            openings.append(Double(weeks[0]) / Double(total))
            falls.append(Double(weeks[1]) / Double(weeks[0]))
        }
        #expect((8...24).contains(hits.values.reduce(0, +)) && hits.values.allSatisfy { $0 <= 2 }, "\(hits)")
        // In the median a third of all who come, and two thirds of those a week later; holidays and talk make it vary.
        openings.sort()
        falls.sort()
        #expect((0.25...0.4).contains(openings[openings.count / 2]))
        #expect((0.5...0.75).contains(falls[falls.count / 2]))
        let (least, most) = (openings.count / 20, openings.count / 20 * 19)
        #expect(openings[least] > 0.2 && openings[most] < 0.5, "\(openings[least]) \(openings[most])")
        #expect(falls[least] > 0.4 && falls[most] < 1.1, "\(falls[least]) \(falls[most])")
    }
}

private let goldenLines = [
    "20247710 42876 34960690290",
    "20243648 36494 16078314020",
    "20241772 13772 12912595740",
    "20245277 12218 7050946400",
    "2024C215 9666 3253293840",
    "20249586 9197 1240036710",
    "20247153 7070 1167936130",
    "20242287 5248 707117990",
    "20245834 4639 8451561160",
    "20249854 3095 372944620",
]
