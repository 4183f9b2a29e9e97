import BoxOffice
import FoundationEssentials
import Networking
import TestSupport
import Testing

@testable import Sandbox
@testable import Upstreams

/// The posters of the demo: what a worker finds in the sandbox's world of seed 1.
@Suite(.patience) struct DemoPosterTests {
    @Test("over the first ten of sixty days no movie has another movie's poster, and most have one")
    func posters() async throws {
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        let sandbox = try SandboxServer(options: options)
        let client = HTTPClient(retry: .patient)
        let kobis = Kobis(url: sandbox.kobisURL, key: SandboxOptions.anyKobisKey)
        let posters = PosterSearch(
            client: client, search: KakaoImageSearch(url: sandbox.kakaoURL, key: SandboxOptions.anyKakaoKey),
            allowsPrivateAddresses: true)
        var codes: Set<MovieCode> = []
        for number in 19_819...19_878 {  // 2024-04-06 to 2024-06-04
            let chart = kobis.dailyChart(KoreanDate(dayNumber: number), market: .all)
            codes.formUnion(try await client.send(chart).value.map(\.movieCode))
        }
        var found = 0
        for code in codes {
            let movie = try await client.send(kobis.movie(code)).value
            guard let image = try await posters.poster(of: movie, hasNamesake: false).value.image else { continue }
            found += 1
            // The address of a drawn poster has the code of its movie.
            #expect(image.imageURL.contains("/posters/\(code)-"), "\(code)")
        }
        #expect(codes.count > 40 && found * 10 > codes.count * 8, "\(found) of \(codes.count)")
        await client.shutdown()
        await sandbox.shutdown()
    }

    @Test("nine of ten films that share a title get a poster of their own if the search names year and director")
    func namesakes() throws {
        let world = World(seed: 1)
        let now = KoreanDate(dayNumber: 20_780).start  // 2026-11-23
        let publishedView = PublishedView(at: now)
        let pairs = world.titles(upTo: publishedView.newestWeek).values.filter { $0.count > 1 }
        let films = pairs.flatMap(\.self).map { SimulatedMovie($0, seed: 1) }.filter {
            publishedView.lists($0) && $0.imageCount > 0
        }
        var own = 0
        for film in films {
            let json = world.movie(code: film.code, at: now)
            let movie = try Kobis(url: "", key: "").movie(try #require(MovieCode(film.code))).read(
                HTTPResponse(body: Data(json))
            ).value
            let hits = world.imageHits(for: PosterSearch.query(for: movie, hasNamesake: true), at: now)
            let poster = hits.prefix(KakaoImageSearch.hitLimit).first { $0.content == .image && !$0.isStill }
            if poster?.movie.id == film.id { own += 1 }
        }
        #expect(films.count > 200 && own * 10 > films.count * 9, "\(own) of \(films.count)")
    }
}
