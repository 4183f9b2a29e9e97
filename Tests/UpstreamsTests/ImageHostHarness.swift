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
        var page: String

        init(_ image: String, thumbnail: String = "/missing", page: String = "/page") {
            self.image = image
            self.thumbnail = thumbnail
            self.page = page
        }
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
            return files[request.path] ?? (request.path == "/page" ? Self.page : .text("not here", status: 404))
        }
        self.seen = seen
    }

    /// Creates a harness whose search responds with `documents`; `timeout` applies to each image.
    convenience init(
        _ documents: [Document], files: [String: WebResponse] = [:], timeout: Duration = .seconds(30),
        onRequest: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws {
        let answers = documents.map { document in
            [
                "image_url": document.image, "thumbnail_url": document.thumbnail, "display_sitename": document.site,
                "doc_url": document.page,
            ]
        }
        try self.init(
            search: { host in
                let list = answers.map { $0.mapValues { $0.hasPrefix("/") ? "http://\(host)\($0)" : $0 } }
                // Text alone is always encodable.
                let body = (try? JSONEncoder().encode(["documents": list])) ?? Data()
                return .json(Array(body))
            }, files: files, timeout: timeout, onRequest: onRequest)
    }

    /// A page about the movie 첫눈 of 2024.
    private static let page = page("첫눈 (2024) 포스터")

    /// A page with a title and lines.
    static func page(_ title: String, _ lines: String...) -> WebResponse {
        let text = lines.map { "<p>\($0)</p>" }.joined()
        return WebResponse(
            contentType: "text/html",
            body: .bytes(Array("<html><title>\(title)</title><body>\(text)</body></html>".utf8)))
    }

    /// Finds the poster of a movie of 2024 with this title.
    func findPoster(
        _ title: String = "첫눈", allowsPrivateAddresses: Bool = true, _ change: (inout Movie) -> Void = { _ in }
    ) async throws(UpstreamError) -> Poster {
        let finder = PosterFinder(
            client: client, images: images, search: search, allowsPrivateAddresses: allowsPrivateAddresses)
        var movie = Movie(code: Sample.code("20240001"), title: title)
        movie.productionYear = 2024
        change(&movie)
        return try await finder.poster(for: movie).value
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
