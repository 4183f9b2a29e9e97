import BoxOffice
import FoundationEssentials
import Imaging
import Networking
import Testing
import WebServer

@testable import Upstreams

@Suite(.timeLimit(.minutes(5))) struct PosterFinderTests {
    private static func canvas(_ width: Int, _ height: Int) -> Bitmap {
        var canvas = Bitmap(width: width, height: height)
        canvas.fill(with: .vertical(Color(0x204060), Color(0xE0A040)))
        return canvas
    }

    private static let png = canvas(60, 90).encodePNG()
    private static let jpeg = canvas(40, 50).encodeJPEG()

    private static func file(_ bytes: [UInt8], _ contentType: String = "image/png") -> WebResponse {
        WebResponse(contentType: contentType, body: .bytes(bytes))
    }

    private static func redirect(to path: String) -> WebResponse {
        WebResponse(status: 302, contentType: "text/plain", headers: [("Location", path)], body: .bytes([]))
    }

    @Test func theFirstCandidateThatIsReallyAPictureIsThePoster() async throws {
        let gallery = try Gallery(
            [
                .init("/missing.png"), .init("/page.jpg"), .init("/pixel.png"), .init("/cut.png"),
                .init("ftp://a.kr/1"),
                .init("/poster", thumbnail: "/small"), .init("/later.png"),
            ],
            files: [
                "/page.jpg": Self.file(Array("<html>not for you</html>".utf8), "image/jpeg"),
                "/pixel.png": Self.file(Self.canvas(1, 1).encodePNG()),
                "/cut.png": WebResponse(
                    contentType: "image/png", body: .truncated(Array(Self.png.prefix(64)), announced: Self.png.count)),
                "/poster": Self.file(Self.png, "text/plain"), "/later.png": Self.file(Self.jpeg),
            ])
        let found = try await gallery.find(" 첫눈\u{00A0}")
        let base = "http://\(gallery.server.address)"
        let image = Poster.Image(
            imageURL: "\(base)/poster", thumbnailURL: "\(base)/small", width: 60, height: 90, site: "갤러리",
            pageURL: "http://example.com/page", source: "kakao", contentType: "image/png", bytes: Self.png.count,
            sha256: SHA256.hexDigest(of: Self.png))
        #expect(
            found == Poster(code: Sample.code("20240001"), title: "첫눈", query: "첫눈 영화 포스터", image: image))
        #expect(gallery.visits.first?.query == "첫눈 영화 포스터")
        #expect(gallery.visits.first?.authorization == "KakaoAK fedcba9876543210")
        // The key is Kakao's, and no stranger's.
        #expect(gallery.visits.dropFirst().allSatisfy { $0.authorization == nil })
        #expect(!gallery.visits.map(\.path).contains("/later.png"))
        await gallery.close()
    }

    @Test func theKindOfPictureIsToldByItsBytes() async throws {
        let gallery = try Gallery([.init("/a.png")], files: ["/a.png": Self.file(Self.jpeg)])
        let image = try #require(try await gallery.find().image)
        #expect(image.contentType == "image/jpeg")
        #expect((image.width, image.height) == (40, 50))
        await gallery.close()
    }

    @Test func threeRedirectsAreFollowedAndNotFour() async throws {
        let gallery = try Gallery(
            [.init("/1"), .init("/2")],
            files: [
                "/1": Self.redirect(to: "/2"), "/2": Self.redirect(to: "/3"), "/3": Self.redirect(to: "/4"),
                "/4": Self.redirect(to: "/a.png"), "/a.png": Self.file(Self.png),
            ])
        let image = try await gallery.find().image
        #expect(image?.imageURL == "http://\(gallery.server.address)/2")
        await gallery.close()
    }

    @Test func theThumbnailStandsInWhereNoPictureWorks() async throws {
        let gallery = try Gallery(
            [.init("/dead.png"), .init("/gone.png", thumbnail: "/small"), .init("", thumbnail: "/smaller")],
            files: ["/small": Self.file(Self.jpeg), "/smaller": Self.file(Self.jpeg)])
        let image = try #require(try await gallery.find().image)
        #expect(image.imageURL == "http://\(gallery.server.address)/small")
        #expect(image.thumbnailURL == image.imageURL)
        await gallery.close()
    }

    @Test func noPictureIsAnAnswer() async throws {
        for documents in [[], [Gallery.Document("/dead.png")], [Gallery.Document("", thumbnail: "")]] {
            let gallery = try Gallery(documents)
            let poster = try await gallery.find()
            #expect(poster.image == nil)
            #expect(poster.query == "첫눈 영화 포스터")
            await gallery.close()
        }
    }

    @Test func hostsThatCannotBeReachedCountAsNoPicture() async throws {
        let gone = try Gallery([])
        await gone.close()
        let dead = "http://\(gone.server.address)/a.png"
        let gallery = try Gallery([.init(dead, thumbnail: dead)])
        #expect(try await gallery.find().image == nil)
        await gallery.close()
    }

    @Test func privateAddressesAreNotEvenAsked() async throws {
        let gallery = try Gallery(
            [.init("/a.png", thumbnail: "/a.png"), .init("http://localhost/a.png"), .init("http://[::1]/a.png")],
            files: ["/a.png": Self.file(Self.png)])
        #expect(try await gallery.find(allowsPrivateAddresses: false).image == nil)
        #expect(gallery.visits.map(\.path) == ["/v2/search/image"])
        await gallery.close()
    }

    @Test func aPictureThatWeighsTooMuchIsPassedOver() async throws {
        let heavy = Self.png + [UInt8](repeating: 0, count: ImageVerifier.responseLimit)
        let gallery = try Gallery(
            [.init("/heavy.png"), .init("/a.png")],
            files: ["/heavy.png": Self.file(heavy), "/a.png": Self.file(Self.png)])
        #expect(try await gallery.find().image?.imageURL.hasSuffix("/a.png") == true)
        await gallery.close()
    }

    @Test func onlyTheFirstEightCandidatesAreTried() async throws {
        let gallery = try Gallery(
            (1...12).map { .init("/\($0).png", thumbnail: "") }, files: ["/9.png": Self.file(Self.png)])
        #expect(try await gallery.find().image == nil)
        #expect(gallery.visits.dropFirst().map(\.path) == (1...8).map { "/\($0).png" })
        await gallery.close()
    }

    @Test func aHostThatIsBusyIsPassedOverAtOnceEvenByAClientThatTriesAgain() async throws {
        let gallery = try Gallery([.init("/a.png")], files: ["/a.png": .text("busy", status: 503)])
        let finder = PosterFinder(client: gallery.client, search: gallery.search, allowsPrivateAddresses: true)
        #expect(try await finder.poster(for: Sample.code("20240001"), title: "첫눈").image == nil)
        #expect(gallery.visits.filter { $0.path == "/a.png" }.count == 1)
        await gallery.close()
    }

    @Test(arguments: [
        (401, #"{"errorType":"AccessDeniedError","message":"cannot find appkey fedcba9876543210"}"#, "unauthorized"),
        (400, #"{"code":-10,"msg":"API limit has been exceeded."}"#, "quotaExhausted"),
    ])
    func whatTheSearchRefusesIsThrownWithoutTheKey(status: Int, body: String, kind: String) async throws {
        let gallery = try Gallery(search: { _ in .json(Array(body.utf8), status: status) })
        let error = await #expect(throws: UpstreamError.self) { try await gallery.find() }
        #expect(error?.kind.rawValue == kind)
        #expect(error?.service == "kakao")
        #expect(error.map { "\($0)".contains("fedcba9876543210") } == false)
        await gallery.close()
    }

    @Test func hostsThatAreSilentCountAsNoPicture() async throws {
        let files = ["/1.png": Self.file(Self.png), "/2.png": Self.file(Self.png)]
        let gallery = try Gallery(
            [.init("/1.png"), .init("/2.png")], files: files, patience: .milliseconds(20)
        ) { path in
            if files[path] != nil { await Self.never() }
        }
        #expect(try await gallery.find().image == nil)
        await gallery.close()
    }

    @Test func aSearchThatIsNoLongerWantedEndsAtOnce() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let gallery = try Gallery([.init("/slow.png")], files: ["/slow.png": Self.file(Self.png)]) { path in
            guard path == "/slow.png" else { return }
            ask.yield()
            await Self.never()
        }
        let search = Task { try await gallery.find() }
        for await _ in asked { break }
        search.cancel()
        let error = await #expect(throws: UpstreamError.self) { try await search.value }
        #expect(error?.kind == .cancelled)
        await gallery.close()
    }

    /// Waits until the server's shutdown cancels it.
    private static func never() async {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }
}
