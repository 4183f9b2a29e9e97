import BoxOffice
import Concurrency
import FoundationEssentials
import Imaging
import Networking
import WebServer

@testable import Upstreams

/// An image search and the hosts of its pictures, on one real server that remembers what it was asked.
final class Gallery: Sendable {
    /// A document of the search's answer; a path stands for an address on this server.
    struct Document {
        var image: String
        var thumbnail: String
        var site = "갤러리"
        var page = "http://example.com/page"

        init(_ image: String, thumbnail: String = "/missing") {
            self.image = image
            self.thumbnail = thumbnail
        }
    }

    /// What was asked: the path, and the headers and query of the search.
    struct Visit: Sendable {
        var path: String
        var query: String?
        var authorization: String?
    }

    let server: HTTPServer
    let client = HTTPClient()
    let images: HTTPClient
    private let seen: Locked<[Visit]>

    init(
        search: @escaping @Sendable (_ host: String) -> WebResponse, files: [String: WebResponse] = [:],
        patience: Duration = .seconds(30), onVisit: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws {
        images = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: patience))
        let seen = Locked<[Visit]>([])
        server = try HTTPServer(address: "127.0.0.1:0") { request in
            let visit = Visit(
                path: request.path, query: request.query("query"), authorization: request.header("Authorization"))
            seen.withLock { $0.append(visit) }
            await onVisit(request.path)
            if request.path == "/v2/search/image" { return search(request.header("Host") ?? "") }
            return files[request.path] ?? .text("not here", status: 404)
        }
        self.seen = seen
    }

    /// A gallery with `patience` for each picture, whose search answers with `documents`.
    convenience init(
        _ documents: [Document], files: [String: WebResponse] = [:], patience: Duration = .seconds(30),
        onVisit: @escaping @Sendable (String) async -> Void = { _ in }
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
            }, files: files, patience: patience, onVisit: onVisit)
    }

    /// Looks for the poster of a film with this title.
    func find(_ title: String = "첫눈", allowsPrivateAddresses: Bool = true) async throws(UpstreamError) -> Poster {
        let finder = PosterFinder(
            client: client, images: images, search: search, allowsPrivateAddresses: allowsPrivateAddresses)
        return try await finder.poster(for: Sample.code("20240001"), title: title)
    }

    /// The search, as its user knows it.
    var search: KakaoImageSearch {
        KakaoImageSearch(url: "http://\(server.address)", key: "fedcba9876543210")
    }

    /// What was asked so far.
    var visits: [Visit] { seen.withLock { $0 } }

    /// Ends the server and the clients.
    func close() async {
        await client.shutdown()
        await images.shutdown()
        await server.shutdown(grace: .zero)
    }
}
