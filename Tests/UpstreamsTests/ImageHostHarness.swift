import BoxOffice
import Concurrency
import FoundationEssentials
import Imaging
import Networking
import WebServer

@testable import Upstreams

/// An image search and image hosts on one real HTTP server that records its requests.
final class ImageHostHarness: Sendable {
    /// A document of the search's response; a path stands for a URL on this server.
    struct Document {
        var image: String
        var thumbnail: String
        var site = "갤러리"
        var page = "/page"
        var size: (width: Int, height: Int)?

        init(_ image: String, thumbnail: String = "/missing", size: (Int, Int)? = nil) {
            self.image = image
            self.thumbnail = thumbnail
            self.size = size
        }
    }

    /// A document as Kakao writes it, but for the spelling of its keys.
    private struct Answer: Encodable {
        let imageUrl: String
        let thumbnailUrl: String
        let displaySitename: String
        let docUrl: String
        let width: Int?
        let height: Int?
    }

    /// A received request: its path, and the search's query and authorization.
    struct RecordedRequest: Sendable {
        var path: String
        var query: String?
        var authorization: String?
    }

    let server: HTTPServer
    let client = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600)))
    let images: HTTPClient
    private let seen: Locked<[RecordedRequest]>

    init(
        search: @escaping @Sendable (_ host: String) -> WebResponse, files: [String: WebResponse] = [:],
        timeout: Duration = .seconds(30), onRequest: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws {
        images = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: timeout))
        let seen = Locked<[RecordedRequest]>([])
        server = try HTTPServer(address: "127.0.0.1:0") { request in
            let recorded = RecordedRequest(
                path: request.path, query: request.query("query"), authorization: request.header("Authorization"))
            seen.withLock { $0.append(recorded) }
            await onRequest(request.path)
            if request.path == "/v2/search/image" { return search(request.header("Host") ?? "") }
            return files[request.path] ?? .text("not here", status: 404)
        }
        self.seen = seen
    }

    /// Creates a harness whose search responds with `documents`; `timeout` applies to each image.
    convenience init(
        _ documents: [Document], files: [String: WebResponse] = [:], timeout: Duration = .seconds(30),
        onRequest: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws {
        try self.init(
            search: { host in
                func url(_ text: String) -> String { text.hasPrefix("/") ? "http://\(host)\(text)" : text }
                let list = documents.map { document in
                    Answer(
                        imageUrl: url(document.image), thumbnailUrl: url(document.thumbnail),
                        displaySitename: document.site, docUrl: url(document.page), width: document.size?.width,
                        height: document.size?.height)
                }
                let encoder = JSONEncoder()
                encoder.keyEncodingStrategy = .convertToSnakeCase
                // Texts and numbers are always encodable.
                let body = (try? encoder.encode(["documents": list])) ?? Data()
                return .json(Array(body))
            }, files: files, timeout: timeout, onRequest: onRequest)
    }

    /// Finds the poster of a movie of 2024 with this title.
    func findPoster(
        _ title: String = "첫눈", allowsPrivateAddresses: Bool = true, besides rejected: Set<String> = []
    ) async throws(UpstreamError) -> Poster {
        let posters = PosterSearch(
            client: client, images: images, search: search, allowsPrivateAddresses: allowsPrivateAddresses)
        let movie = Movie(code: Sample.code("20240001"), title: title)
        return try await posters.poster(of: movie, hasNamesake: false, besides: rejected).value
    }

    /// The search API on this server.
    var search: KakaoImageSearch {
        KakaoImageSearch(url: "http://\(server.address)", key: "fedcba9876543210")
    }

    /// The requests received so far.
    var requests: [RecordedRequest] { seen.withLock { $0 } }

    /// Stops the server and the clients.
    func close() async {
        await client.shutdown()
        await images.shutdown()
        await server.shutdown(grace: .zero)
    }
}
