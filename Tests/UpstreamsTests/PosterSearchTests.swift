import BoxOffice
import Crypto
import FoundationEssentials
import Imaging
import Networking
import TestSupport
import Testing
import WebServer

@testable import Upstreams

@Suite(.patience) struct PosterSearchTests {
    private static func bitmap(_ width: Int, _ height: Int) -> Bitmap {
        Bitmap(width: width, height: height) { _, y in Color(y < height / 2 ? 0x204060 : 0xE0A040) }
    }

    private static let png = bitmap(60, 90).encodePNG()
    private static let jpeg = bitmap(40, 50).encodeJPEG()

    private static func file(_ bytes: [UInt8], _ contentType: String = "image/png") -> WebResponse {
        WebResponse(contentType: contentType, body: .bytes(bytes))
    }

    private static func redirect(to path: String) -> WebResponse {
        WebResponse(status: 302, contentType: "text/plain", headers: [("Location", path)], body: .bytes([]))
    }

    @Test func theFirstCandidateThatIsAnImageIsThePoster() async throws {
        let harness = try ImageHostHarness(
            [
                .init("/missing.png"), .init("/page.jpg"), .init("/pixel.png"), .init("/cut.png"),
                .init("ftp://a.kr/1"),
                .init("/poster", thumbnail: "/small"), .init("/later.png"),
            ],
            files: [
                "/page.jpg": Self.file(Array("<html>not for you</html>".utf8), "image/jpeg"),
                "/pixel.png": Self.file(Self.bitmap(1, 1).encodePNG()),
                "/cut.png": WebResponse(
                    contentType: "image/png", body: .truncated(Array(Self.png.prefix(64)), announced: Self.png.count)),
                "/poster": Self.file(Self.png, "text/plain"), "/later.png": Self.file(Self.jpeg),
            ])
        let found = try await harness.findPoster(" 첫눈\u{00A0}")
        let base = "http://\(harness.server.address)"
        let image = Poster.Image(
            imageURL: "\(base)/poster", thumbnailURL: "\(base)/small", width: 60, height: 90, site: "갤러리",
            pageURL: "\(base)/page", source: "kakao", contentType: "image/png", bytes: Self.png.count,
            sha256: SHA256.hexDigest(of: Self.png))
        #expect(found.image == image)
        #expect(found.title == "첫눈" && found.query == "첫눈 영화 포스터" && found.hit == 6)
        #expect(harness.requests.first?.query == "첫눈 영화 포스터")
        #expect(harness.requests.first?.authorization == "KakaoAK fedcba9876543210")
        // The key is sent to Kakao only.
        #expect(harness.requests.dropFirst().allSatisfy { $0.authorization == nil })
        #expect(!harness.requests.map(\.path).contains("/later.png"))
        await harness.close()
    }

    @Test func theBytesDecideTheImageFormat() async throws {
        let harness = try ImageHostHarness([.init("/a.png")], files: ["/a.png": Self.file(Self.jpeg)])
        let image = try #require(try await harness.findPoster().image)
        #expect(image.contentType == "image/jpeg")
        #expect((image.width, image.height) == (40, 50))
        await harness.close()
    }

    @Test func threeRedirectsAreFollowedAndNotFour() async throws {
        let harness = try ImageHostHarness(
            [.init("/1"), .init("/2")],
            files: [
                "/1": Self.redirect(to: "/2"), "/2": Self.redirect(to: "/3"), "/3": Self.redirect(to: "/4"),
                "/4": Self.redirect(to: "/a.png"), "/a.png": Self.file(Self.png),
            ])
        let image = try await harness.findPoster().image
        #expect(image?.imageURL == "http://\(harness.server.address)/2")
        await harness.close()
    }

    @Test func theThumbnailIsUsedIfNoImageWorks() async throws {
        let harness = try ImageHostHarness(
            [.init("/dead.png"), .init("/gone.png", thumbnail: "/small"), .init("", thumbnail: "/smaller")],
            files: ["/small": Self.file(Self.jpeg), "/smaller": Self.file(Self.jpeg)])
        let image = try #require(try await harness.findPoster().image)
        #expect(image.imageURL == "http://\(harness.server.address)/small")
        #expect(image.thumbnailURL == image.imageURL)
        await harness.close()
    }

    @Test func aPosterWithoutAnImageIsNotAnError() async throws {
        for documents in [[], [ImageHostHarness.Document("/dead.png")], [ImageHostHarness.Document("", thumbnail: "")]]
        {
            let harness = try ImageHostHarness(documents)
            let poster = try await harness.findPoster()
            #expect(poster.image == nil && poster.hit == nil && poster.query == "첫눈 영화 포스터")
            #expect(harness.requests.compactMap(\.query).count == 1)
            await harness.close()
        }
    }

    @Test func unreachableHostsCountAsNoImage() async throws {
        let gone = try ImageHostHarness([])
        await gone.close()
        let dead = "http://\(gone.server.address)/a.png"
        let harness = try ImageHostHarness([.init(dead, thumbnail: dead)])
        #expect(try await harness.findPoster().image == nil)
        await harness.close()
    }

    @Test func privateAddressesGetNoRequest() async throws {
        let harness = try ImageHostHarness(
            [.init("/a.png", thumbnail: "/a.png"), .init("http://localhost/a.png"), .init("http://[::1]/a.png")],
            files: ["/a.png": Self.file(Self.png)])
        #expect(try await harness.findPoster(allowsPrivateAddresses: false).image == nil)
        #expect(harness.requests.map(\.path) == ["/v2/search/image"])
        await harness.close()
    }

    @Test func anImageThatIsTooLargeIsSkipped() async throws {
        let heavy = Self.png + [UInt8](repeating: 0, count: VerifiedImage.responseLimit)
        let harness = try ImageHostHarness(
            [.init("/heavy.png"), .init("/a.png")],
            files: ["/heavy.png": Self.file(heavy), "/a.png": Self.file(Self.png)])
        #expect(try await harness.findPoster().image?.imageURL.hasSuffix("/a.png") == true)
        await harness.close()
    }

    @Test func onlyTheFirstEightCandidatesAreTried() async throws {
        let harness = try ImageHostHarness(
            (1...12).map { .init("/\($0).png", thumbnail: "") }, files: ["/9.png": Self.file(Self.png)])
        #expect(try await harness.findPoster().image == nil)
        let images = harness.requests.map(\.path).filter { $0.hasSuffix(".png") }
        #expect(images == (1...8).map { "/\($0).png" })
        await harness.close()
    }

    @Test func aBusyHostIsSkippedAtOnceEvenByAClientWithRetries() async throws {
        let harness = try ImageHostHarness([.init("/a.png")], files: ["/a.png": .text("busy", status: 503)])
        let posters = PosterSearch(client: harness.client, search: harness.search, allowsPrivateAddresses: true)
        let movie = Movie(code: Sample.code("20240001"), title: "첫눈")
        #expect(try await posters.poster(of: movie, hasNamesake: false).value.image == nil)
        #expect(harness.requests.filter { $0.path == "/a.png" }.count == 1)
        await harness.close()
    }

    @Test(arguments: [
        (401, #"{"errorType":"AccessDeniedError","message":"cannot find appkey fedcba9876543210"}"#, "unauthorized"),
        (400, #"{"code":-10,"msg":"API limit has been exceeded."}"#, "quotaExhausted"),
    ])
    func anErrorOfTheSearchIsThrownWithoutTheKey(status: Int, body: String, kind: String) async throws {
        let harness = try ImageHostHarness(search: { _ in .json(Array(body.utf8), status: status) })
        let error = await #expect(throws: UpstreamError.self) { try await harness.findPoster() }
        #expect(error?.kind.rawValue == kind)
        #expect(error?.service == "kakao")
        #expect(error.map { "\($0)".contains("fedcba9876543210") } == false)
        await harness.close()
    }

    @Test("the search names year and director only where the title has a namesake")
    func query() {
        var movie = Movie(code: Sample.code("20240001"), title: " 첫눈")
        #expect(PosterSearch.query(for: movie, hasNamesake: true) == "첫눈 영화 포스터")
        movie.productionYear = 2024
        movie.openDate = Sample.date("2025-01-01")
        movie.directors = [Movie.Director(name: "한가람"), Movie.Director(name: "이도윤")]
        #expect(PosterSearch.query(for: movie, hasNamesake: false) == "첫눈 영화 포스터")
        #expect(PosterSearch.query(for: movie, hasNamesake: true) == "첫눈 2024 한가람 영화 포스터")
        movie.productionYear = nil
        #expect(PosterSearch.query(for: movie, hasNamesake: true) == "첫눈 2025 한가람 영화 포스터")
    }

    @Test("hits with the form of a poster, or of unknown size, are tried first, and keep their numbers")
    func order() {
        let sizes: [ImageCandidate.Size?] = [
            .init(width: 160, height: 90), .init(width: 100, height: 143), nil, .init(width: 100, height: 119),
            .init(width: 100, height: 166),
        ]
        let hits = PosterSearch.hits(
            sizes.map { ImageCandidate(imageURL: "https://a.kr/1", thumbnailURL: nil, size: $0) })
        #expect(hits.map(\.number) == [2, 3, 1, 4, 5])
    }

    @Test("the first image with the form of a poster is taken, whatever the search says of its size")
    func form() async throws {
        let files = ["/wide.png": Self.file(Self.bitmap(90, 60).encodePNG()), "/a.png": Self.file(Self.png)]
        let harness = try ImageHostHarness(
            [.init("/wide.png"), .init("/a.png", size: (160, 90)), .init("/a.png", size: (60, 90))], files: files)
        let poster = try await harness.findPoster()
        #expect(poster.image?.imageURL.hasSuffix("/a.png") == true && poster.hit == 3)
        await harness.close()
    }

    @Test("where no hit has the form of a poster, the first image is taken")
    func noForm() async throws {
        let wide = Self.file(Self.bitmap(90, 60).encodePNG())
        for sizes in [[(90, 60), (90, 60)], [(60, 90), (90, 60)]] {
            let harness = try ImageHostHarness(
                zip(["/1.png", "/2.png"], sizes).map { .init($0, size: $1) }, files: ["/1.png": wide, "/2.png": wide])
            let poster = try await harness.findPoster()
            #expect(poster.image?.imageURL.hasSuffix("/1.png") == true && poster.hit == 1)
            #expect(!harness.requests.map(\.path).contains("/2.png"))
            await harness.close()
        }
    }

    @Test("a rejected image is not taken again, at whatever URL it is")
    func rejected() async throws {
        let files = [
            "/1.png": Self.file(Self.png), "/copy.png": Self.file(Self.png), "/2.png": Self.file(Self.jpeg),
        ]
        let harness = try ImageHostHarness([.init("/1.png"), .init("/copy.png"), .init("/2.png")], files: files)
        let first = try #require(try await harness.findPoster().image)
        let next = try await harness.findPoster(besides: [first.imageURL, first.sha256])
        #expect(next.image?.imageURL.hasSuffix("/2.png") == true && next.hit == 3)
        let byURL = try await harness.findPoster(besides: [first.imageURL])
        #expect(byURL.hit == 2)
        let none = try await harness.findPoster(
            besides: [first.sha256, try #require(next.image).sha256])
        #expect(none.image == nil && none.hit == nil)
        await harness.close()
    }

    @Test("a chosen image costs no search, and says why it cannot be fetched")
    func chosen() async throws {
        let harness = try ImageHostHarness([], files: ["/a.png": Self.file(Self.png)])
        let posters = PosterSearch(client: harness.client, search: harness.search, allowsPrivateAddresses: true)
        let movie = Movie(code: Sample.code("20240001"), title: "첫눈")
        let url = "http://\(harness.server.address)/a.png"
        let poster = try await posters.poster(of: movie, chosenAt: url)
        #expect(poster.image?.imageURL == url && poster.image?.source == "operator")
        #expect(poster.query == "" && poster.hit == nil)
        let error = await #expect(throws: UpstreamError.self) {
            try await posters.poster(of: movie, chosenAt: "http://\(harness.server.address)/gone.png")
        }
        #expect(error?.kind == .notFound && error?.service == "poster")
        #expect(harness.requests.map(\.path) == ["/a.png", "/gone.png"])
        await harness.close()
    }

    @Test func silentHostsCountAsNoImage() async throws {
        let files = ["/1.png": Self.file(Self.png), "/2.png": Self.file(Self.png)]
        let harness = try ImageHostHarness(
            [.init("/1.png"), .init("/2.png")], files: files, timeout: .milliseconds(20)
        ) { path in
            if files[path] != nil { await Self.never() }
        }
        #expect(try await harness.findPoster().image == nil)
        await harness.close()
    }

    @Test func aCancelledSearchEndsAtOnce() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let harness = try ImageHostHarness([.init("/slow.png")], files: ["/slow.png": Self.file(Self.png)]) { path in
            guard path == "/slow.png" else { return }
            ask.yield()
            await Self.never()
        }
        let search = Task { try await harness.findPoster() }
        for await _ in asked { break }
        search.cancel()
        let error = await #expect(throws: UpstreamError.self) { try await search.value }
        #expect(error?.kind == .cancelled)
        await harness.close()
    }

    /// Waits until the server's shutdown cancels it.
    private static func never() async {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }
}
