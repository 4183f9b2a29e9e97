import Concurrency
import Contract
import Health
import JSONCoding
import ServiceRuntime
import Text
import WebServer

/// Answers every request to the board: API, health pages, files, and the page itself at each of its addresses.
struct BoardRouter: Sendable {
    let basePath: BasePath
    let files: StaticFiles
    let pages: PageWriter
    let api: API
    let health: HealthPages
    let limits: VisitorLimits
    let proxyWarning: ProxyWarning

    func respond(to request: WebRequest) async -> WebResponse {
        await response(to: request).withSecurityHeaders(isSecure: api.isSecure)
    }

    private func response(to request: WebRequest) async -> WebResponse {
        // Probes ask the process itself and not the proxy before it, so the health pages are not below the base path. They
        // have no limit by address: a stranger may share the probe's.
        if request.path != "/metrics", let page = await health.response(to: request) { return page }
        proxyWarning.look(at: request)
        guard limits.admit(request.client) else { return api.refuseTooManyRequests() }
        if request.path == "/metrics" {
            guard api.isOperator(request) else { return .notForVisitors }
            return await health.response(to: request) ?? .notFound
        }
        guard let path = basePath.relativePath(of: request.path) else { return .notFound }
        if path.hasPrefix("api/v1/") {
            return await api.respond(to: request, path: path.dropFirst("api/v1/".count))
        }
        guard request.method == "GET" else { return .methodNotAllowed }
        if let file = files[path] { return file.response(to: request) }
        // The script in the page shows what belongs to the address. An address with a dot is of a file, which is missing.
        guard !path.contains("."), let page = files["index.html"] else { return .notFound }
        guard Self.places.contains(String(path.prefix { $0 != "/" })) else {
            // Never 304: a browser may have the same page from another address.
            return WebResponse(
                status: 404, contentType: page.contentType, headers: [("Cache-Control", "no-cache")],
                body: .shared(page.content))
        }
        // The page itself needs no database.
        return (try? await pages.response(to: request, path: path)) ?? page.response(to: request)
    }

    /// The first parts of the paths of the pages, as in `pages.js`.
    static let places: Set<String> = [
        "", "day", "weekend", "week", "weekdays", "movie", "history", "alerts", "shop", "operations",
    ]

    /// Returns how many bytes a request's body may have; nil stands for the server's usual limit.
    ///
    /// Only signed-in visitors may send images.
    func bodyAllowance(_ head: WebRequest) -> Int? {
        guard head.method == "POST", basePath.relativePath(of: head.path) == "api/v1/requests",
            head.header("Content-Type") == FramedBody.contentType, api.isSignedIn(head)
        else { return nil }
        return FramedBody.limit
    }

    /// Reads the page's files, and writes the base path and the headings of alerts into the page.
    static func files(
        in folder: String, basePath: BasePath, ruleHeadings: [String: RuleHeading] = [:]
    ) throws -> StaticFiles {
        // Inside a script element no `<` may stand.
        let headings = JSON.encodeInfallibly(ruleHeadings).replacing(Array("<".utf8), with: Array("\\u003c".utf8))
        return try StaticFiles(folder: folder) { path, bytes in
            guard path == "index.html" else { return bytes }
            return bytes.replacing(
                Array("<base href=\"/\">".utf8), with: Array("<base href=\"\(basePath)\">".utf8)
            ).replacing(Array(">{}</script>".utf8), with: Array(">".utf8) + headings + Array("</script>".utf8))
        }
    }
}

/// Warns once of a proxy that no setting names, or whose `X-Forwarded-For` cannot be read: the limits by address then count
/// all its visitors as one.
struct ProxyWarning: Sendable {
    let proxies: Set<ClientAddress>
    let logger: Logger
    private let isDone = Locked(false)

    init(proxies: Set<ClientAddress>, logger: Logger) {
        self.proxies = proxies
        self.logger = logger
    }

    /// Warns if the request's visitor counts as its proxy and this has not warned before. Where no proxy is named,
    /// strangers can send the header, too.
    func look(at request: WebRequest) {
        guard let forwarded = request.header("X-Forwarded-For") else { return }
        if !proxies.isEmpty {
            guard let client = request.client, proxies.contains(client),
                forwarded.parts(between: ",").contains(where: { ClientAddress(forwarded: $0) == nil })
            else { return }
        }
        let isFirst = isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
        guard isFirst else { return }
        logger.warning(
            proxies.isEmpty
                ? "a proxy that MARQUEE_BOARD_PROXIES does not name passes requests on; all its visitors share one address's limits"
                : "the X-Forwarded-For of a proxy has no IP address where a visitor's is; its visitors share one address's limits",
            [.address: request.client?.description])
    }
}

extension HTTPServer.Limits {
    /// Each page keeps one connection open and opens others; behind a proxy all of them have the same address.
    static func board(_ memory: MemoryBudget) -> HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        limits.connections = 8_192
        limits.connectionsPerAddress = 8_192
        limits.waitingConnections = 3_072
        limits.queuedBytes = memory.bytes(for: .queuedHTTP) / 4 * 3
        // Strangers have a part of their own, so that they keep no upload out. An upload is in memory two or three times
        // while it is forwarded.
        limits.bodies = memory.bytes(for: .incompleteMessages) / 8
        limits.uploads = memory.bytes(for: .incompleteMessages) / 8 * 7
        return limits
    }
}
