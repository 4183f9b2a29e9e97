import Testing

@testable import BoxOffice

@Suite struct PosterTests {
    private static let foundJSON = """
        {"bytes":2048,"code":"20240001","contentType":"image/png","found":true,"height":600,\
        "imageURL":"https://example.com/a.png","pageURL":null,"query":"첫눈 영화 포스터","sha256":"ab","site":null,\
        "source":"kakao","thumbnailURL":"https://example.com/t.png","title":"첫눈","width":400}
        """

    private var image: Poster.Image {
        Poster.Image(
            imageURL: "https://example.com/a.png", thumbnailURL: "https://example.com/t.png", width: 400, height: 600,
            site: nil, pageURL: nil, source: "kakao", contentType: "image/png", bytes: 2048, sha256: "ab")
    }

    private func poster(_ image: Poster.Image?) -> Poster {
        Poster(code: Sample.code("20240001"), title: "첫눈", query: "첫눈 영화 포스터", image: image)
    }

    @Test func aFoundPictureStandsBesideTheSearch() throws {
        #expect(try jsonText(poster(image)) == Self.foundJSON)
        #expect(try roundTrip(poster(image)) == poster(image))
    }

    @Test func withoutAPictureOnlyTheSearchIsWritten() throws {
        let expected = #"{"code":"20240001","found":false,"query":"첫눈 영화 포스터","title":"첫눈"}"#
        #expect(try jsonText(poster(nil)) == expected)
        #expect(try roundTrip(poster(nil)) == poster(nil))
    }

    @Test func theNumberOfTheHitStandsBesideTheSearch() throws {
        var chosen = poster(image)
        chosen.hit = 3
        #expect(try jsonText(chosen).contains(#""height":600,"hit":3,"imageURL""#))
        #expect(try roundTrip(chosen) == chosen)
    }

    @Test func anotherHitOrOtherSearchTermsMakeNoOtherPoster() {
        var other = poster(image)
        other.query = "첫눈 2024 영화 포스터"
        other.hit = 3
        #expect(other.statesSame(as: poster(image)))
        #expect(!other.statesSame(as: poster(nil)))
    }

    @Test func foundWithoutAPictureIsRefused() {
        let text = #"{"code":"20240001","found":true,"query":"","title":"첫눈"}"#
        #expect(throws: DecodingError.self) { try readJSON(Poster.self, text) }
    }
}
