public import FoundationEssentials
public import Networking

/// Kakao's image search.
///
/// It says what to ask and reads the answer; ``PosterFinder`` sends it and tries what was found.
public struct KakaoImageSearch: Sendable {
    /// What errors and the quota ledger call it.
    public static let service = "kakao"

    private let url: String
    private let authorization: HTTPField
    private let now: @Sendable () -> Date

    /// Makes the search at `url`, asked with the REST key `key`; `now` tells when the day ends.
    public init(url: String, key: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.url = url
        authorization = HTTPField("Authorization", "KakaoAK \(key)", isSecret: true)
        self.now = now
    }

    /// The pictures for some words, best first; none is an answer too.
    public func images(query: String) -> Endpoint<[ImageCandidate]> {
        let request = HTTPRequest(
            "\(url)/v2/search/image",
            query: [HTTPField("query", query), HTTPField("size", "\(PosterFinder.candidateLimit)")],
            headers: [authorization])
        return Endpoint(service: Self.service, request: request) { [now] response throws(UpstreamError) in
            try KakaoReply.read(response, at: now())
        }
    }
}
