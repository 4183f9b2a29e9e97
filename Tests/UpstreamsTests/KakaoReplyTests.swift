import BoxOffice
import FoundationEssentials
import Networking
import TestSupport
import Testing

@testable import Upstreams

@Suite struct KakaoReplyTests {
    private func images(_ response: HTTPResponse) throws(UpstreamError) -> [ImageCandidate] {
        try Sample.kakao.images(query: "첫눈").read(response).value
    }

    private func error(_ body: String, status: Int, retryAfter: Duration? = nil) -> UpstreamError? {
        #expect(throws: UpstreamError.self) {
            try images(HTTPResponse(status: status, body: Data(body.utf8), retryAfter: retryAfter))
        }
    }

    @Test func blankFieldsAreNilAndUnknownFieldsAreIgnored() throws {
        let body = """
            {"documents":[{"collection":"hologram","datetime":"","display_sitename":"","doc_url":"http://a.kr/1",\
            "height":"tall","image_url":"http://a.kr/1.jpg","thumbnail_url":"https://t.kr/1","width":null,"later":1},{}],\
            "meta":{"is_end":true}}
            """
        let first = ImageCandidate(
            imageURL: "http://a.kr/1.jpg", thumbnailURL: "https://t.kr/1", pageURL: "http://a.kr/1")
        #expect(
            try images(Sample.response(body)) == [first, ImageCandidate(imageURL: nil, thumbnailURL: nil)])
    }

    @Test(arguments: [
        (400, #"{"errorType":"MissingParameter","message":"query parameter required"}"#, UpstreamError.Kind.badRequest),
        (400, #"{"errorType":"InvalidArgument","message":"page is more than max"}"#, .badRequest),
        (401, #"{"errorType":"AccessDeniedError","message":"cannot find appkey"}"#, .unauthorized),
        (403, #"{"errorType":"NotAuthorizedError","message":"App disabled OPEN_MAP_AND_LOCAL service."}"#, .forbidden),
        (429, #"{"errorType":"RequestThrottled","message":"API limit has been exceeded."}"#, .quotaExhausted),
        (401, #"{"code":-401,"msg":"wrong appKey"}"#, .unauthorized),
        (400, #"{"code":-10,"msg":"API limit has been exceeded."}"#, .quotaExhausted),
        (400, #"{"code":-1,"msg":"internal"}"#, .unavailable),
        (400, #"{"code":-2,"msg":"parameter"}"#, .badRequest),
        (503, #"{"code":-7,"msg":"maintenance"}"#, .maintenance),
        (400, #"{"code":-9798,"msg":"maintenance"}"#, .maintenance),
        (400, #"{"code":-603,"msg":"timeout"}"#, .timeout),
        (401, #"{"errorType":"SomethingNew"}"#, .unauthorized), (503, #"{"code":-99999}"#, .maintenance),
        (200, #"{"errorType":"SomethingNew","message":"?"}"#, .invalid), (200, #"{"code":-401}"#, .unauthorized),
        (401, "", .unauthorized), (403, "{}", .forbidden), (404, "{}", .wrongAddress), (500, "oops", .unavailable),
        (503, "[]", .maintenance), (200, "{}", .invalid), (200, "", .invalid), (200, "<html></html>", .maintenance),
        (502, "<html></html>", .maintenance), (500, #"{"documents":[]}"#, .unavailable),
    ])
    func bothErrorFormatsAreReadAndTheStatusDecidesTheRest(
        status: Int, body: String, kind: UpstreamError.Kind
    ) {
        let error = error(body, status: status)
        #expect(error?.kind == kind)
        #expect(error?.status == status)
    }

    @Test func aUsedUpQuotaRenewsAtMidnightInKoreaOrAfterRetryAfter() {
        let quota = #"{"code":-10,"msg":"API limit has been exceeded."}"#
        #expect(error(quota, status: 400)?.retryAfter == .seconds(9 * 3600))
        #expect(error(quota, status: 400)?.isTransient == false)
        #expect(error(quota, status: 400, retryAfter: .seconds(7))?.retryAfter == .seconds(7))
    }

    @Test func aThrottledRequestIsTransient() {
        let throttled = #"{"errorType":"RequestThrottled","message":"API limit has been exceeded."}"#
        #expect(error(throttled, status: 429)?.isTransient == true)
        #expect(error(throttled, status: 429)?.retryAfter == nil)
        #expect(error(throttled, status: 429)?.code == "RequestThrottled")
    }

    @Test("A hit that cannot be read, and a field of one, cost no other hit, and are named")
    func unreadable() throws {
        let hits = #"7,{"image_url":7,"doc_url":"http://a.kr/1"},null,{"image_url":"http://a.kr/1.jpg"}"#
        let body = #"{"documents":[\#(hits)]}"#
        let reading = try Sample.kakao.images(query: "첫눈").read(Sample.response(body))
        #expect(
            reading.value == [
                ImageCandidate(imageURL: nil, thumbnailURL: nil, pageURL: "http://a.kr/1"),
                ImageCandidate(imageURL: "http://a.kr/1.jpg", thumbnailURL: nil),
            ])
        #expect(reading.unreadable.map(\.path) == ["documents[0]", "documents[1].image_url"])
        #expect(reading.unreadable.map(\.count) == [2, 1])
    }

    @Test func documentsThatAreNoListAreInvalid() {
        #expect(error(#"{"documents":{}}"#, status: 200)?.field == "documents")
    }

    @Test(arguments: try Recorded.files(in: "kakao/image"))
    func recordedPagesAreRead(path: String) throws {
        let candidates = try images(HTTPResponse(body: Recorded.data(path)))
        let counts = ["page-of-30": 30, "page-of-3": 3, "last-page-28": 28, "movie-poster-80": 80, "empty": 0]
        #expect(counts.contains { path.hasSuffix("/\($0.key).json") && candidates.count == $0.value })
        for candidate in candidates {
            #expect(candidate.imageURL.flatMap(WebAddress.init) != nil, "\(candidate)")
            #expect(candidate.thumbnailURL?.hasPrefix("https://") == true)
            #expect(candidate.site != "")
        }
    }

    @Test(arguments: try Recorded.files(in: "kakao/fault"))
    func recordedErrorsHaveTheirKind(path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let status = try #require(Int(name.prefix(3)))
        let kinds: [(part: String, kind: UpstreamError.Kind)] = [
            ("platform-quota", .quotaExhausted), ("429", .quotaExhausted), ("401", .unauthorized), ("400", .badRequest),
        ]
        let error = error(String(decoding: try Recorded.data(path), as: UTF8.self), status: status)
        #expect(error?.kind == kinds.first { name.contains($0.part) }?.kind)
    }
}
