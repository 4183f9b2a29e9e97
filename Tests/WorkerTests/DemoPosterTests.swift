import BoxOffice
import FoundationEssentials
import Networking
import TestSupport
import Testing

@testable import Sandbox
@testable import Upstreams

/// The posters of the demo: what a worker finds in the sandbox's world of seed 1.
@Suite(.patience) struct DemoPosterTests {
    @Test("over the first ten of sixty days no film has another film's poster, and most have one")
    func posters() async throws {
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        let sandbox = try SandboxServer(options: options)
        let client = HTTPClient(retry: .patient)
        let kobis = Kobis(url: sandbox.kobisURL, key: SandboxOptions.anyKobisKey)
        let finder = PosterFinder(
            client: client, search: KakaoImageSearch(url: sandbox.kakaoURL, key: SandboxOptions.anyKakaoKey),
            allowsPrivateAddresses: true)
        var codes: Set<MovieCode> = []
        for number in 19_819...19_878 {  // 2024-04-06 to 2024-06-04
            let chart = kobis.dailyChart(KoreanDate(dayNumber: number), market: .all)
            codes.formUnion(try await client.send(chart).value.map(\.movieCode))
        }
        var found = 0
        for code in codes {
            let poster = try await finder.poster(for: try await client.send(kobis.movie(code)).value).value
            guard let image = poster.image else { continue }
            found += 1
            // The address of a drawn poster has the code of its film.
            #expect(image.imageURL.contains("/posters/\(code)-"), "\(code)")
        }
        #expect(codes.count > 40 && found * 10 > codes.count * 8, "\(found) of \(codes.count)")
        await client.shutdown()
        await sandbox.shutdown()
    }

    @Test("of the films that share a title none gets the other's poster, and most get their own")
    func namesakes() throws {
        let world = World(seed: 1)
        let now = KoreanDate(dayNumber: 20_780).start  // 2026-11-23
        let publishedView = PublishedView(at: now)
        let pairs = world.titles(upTo: publishedView.newestWeek).values.filter { $0.count > 1 }
        let films = pairs.flatMap(\.self).map { SimulatedMovie($0, seed: 1) }.filter { publishedView.lists($0) }
        var found = 0
        for film in films {
            let json = World.movieBody(world.movieInfo(code: film.code, as: publishedView))
            let movie = try Kobis(url: "", key: "").movie(try #require(MovieCode(film.code))).read(
                HTTPResponse(body: Data(json))
            ).value
            let subject = PosterSubject(movie)
            var choice = PosterChoice(subject)
            var chosen: ImageHit?
            for query in subject.queries where chosen == nil {
                chosen = Self.hit(for: query, &choice, in: world, at: now)
            }
            guard let chosen else { continue }
            found += 1
            #expect(chosen.movie.id == film.id, "\(film.code) \(film.title)")
        }
        #expect(films.count > 200 && found * 10 > films.count * 8, "\(found) of \(films.count)")
    }

    /// Returns the hit that the choice falls on, as the finder makes it, without drawing images.
    private static func hit(
        for query: String, _ choice: inout PosterChoice, in world: World, at now: Date
    ) -> ImageHit? {
        let hits = world.imageHits(for: query, at: now).prefix(KakaoImageSearch.hitLimit)
        let byPath = Dictionary(uniqueKeysWithValues: hits.map { ($0.imagePath, $0) })
        choice.begin(
            query,
            hits.map { hit in
                ImageCandidate(
                    imageURL: hit.imagePath, thumbnailURL: nil, size: .init(width: hit.width, height: hit.height),
                    year: Int(hit.datetime.prefix(4)))
            })
        for candidate in choice.candidates.prefix(PosterFinder.candidateLimit) {
            guard let hit = candidate.imageURL.flatMap({ byPath[$0] }),
                let page = hit.page(besides: world.movies(openingIn: hit.movie.id.week)),
                choice.judge(candidate, PosterPage(html: Data(page))) != nil, hit.content == .image
            else { continue }
            return hit
        }
        return nil
    }
}
