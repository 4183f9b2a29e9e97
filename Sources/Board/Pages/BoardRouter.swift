import Operations
import WebServer

/// Answers every request to the board: the API, the health pages, the files, and the page itself for all its addresses.
struct BoardRouter: Sendable {
    let base: BasePath
    let files: StaticFiles
    let api: API
    let health: @Sendable (_ page: String) async -> WebResponse?

    /// Answers a request.
    func respond(to request: WebRequest) async -> WebResponse {
        await answer(request).secured()
    }

    private func answer(_ request: WebRequest) async -> WebResponse {
        // A probe asks the process, not the proxy before it, which adds the base.
        if request.method == "GET", let page = await health(String(request.path.dropFirst())) { return page }
        guard let rest = base.rest(of: request.path) else { return .notFound }
        if let path = rest.suffix(after: "api/v1/") { return await api.respond(to: request, path: path) }
        guard request.method == "GET" else { return .onlyGet }
        if let file = files[rest] { return file.response(to: request) }
        // The browser draws the page by its address; an address with a dot is a file that is not there.
        guard !rest.contains("."), let page = files["index.html"] else { return .notFound }
        return page.response(to: request)
    }

    /// How large a request's body may be, by its head: images come from those alone who may register products.
    func bodyAllowance(_ head: WebRequest) -> Int? {
        guard head.method == "POST", base.rest(of: head.path) == "api/v1/requests",
            head.header("Content-Type") == FramedBody.contentType,
            api.sessions.holds(SessionCookie.token(of: head))
        else { return nil }
        return FramedBody.limit
    }

    /// Reads the page's files, and has the page know where it lies.
    static func files(in folder: String, base: BasePath) throws -> StaticFiles {
        try StaticFiles(folder: folder) { path, bytes in
            guard path == "index.html" else { return bytes }
            let page = String(decoding: bytes, as: UTF8.self)
            return Array(page.replacing("<base href=\"/\">", with: "<base href=\"\(base)\">").utf8)
        }
    }
}

extension Substring {
    /// What follows `prefix`; nil if the text does not begin with it.
    fileprivate func suffix(after prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

extension WebResponse {
    static let notFound = text("there is no such page\n", status: 404)
    static let onlyGet = WebResponse(
        status: 405, contentType: "text/plain;charset=UTF-8", headers: [("Allow", "GET, HEAD")],
        body: .bytes(Array("only GET and HEAD\n".utf8)))
}
