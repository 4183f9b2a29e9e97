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
    /// Whether the configuration names a proxy, or the log has said that it should.
    let isProxyKnown: Locked<Bool>

    func respond(to request: WebRequest) async -> WebResponse {
        await response(to: request).withSecurityHeaders(isSecure: api.isSecure)
    }

    private func response(to request: WebRequest) async -> WebResponse {
        // Probes ask the process itself and not the proxy before it, so the health pages are not below the base path. They
        // have no limit by address: a stranger may share the probe's.
        if request.path != "/metrics", let page = await health.response(to: request) { return page }
        if request.header("X-Forwarded-For") != nil { warnOfProxy(request) }
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

    /// Warns once of a proxy that no setting names: the limits by address count all its visitors as one.
    private func warnOfProxy(_ request: WebRequest) {
        let isKnown = isProxyKnown.withLock { isKnown in
            defer { isKnown = true }
            return isKnown
        }
        guard !isKnown else { return }
        api.runtime.logger.warning(
            "a proxy that MARQUEE_BOARD_PROXIES does not name passes requests on; all its visitors share one address's limits",
            [.address: request.client?.description])
    }

    /// The first parts of the paths of the pages, as in `pages.js`.
    static let places: Set<String> = [
        "", "day", "weekend", "week", "weekdays", "movie", "history", "alerts", "shop", "operations",
    ]

    /// Returns how many bytes a body may have; nil stands for the server's usual limit. Signed-in visitors may send images.
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

extension HTTPServer.Limits {
    /// Each page keeps one connection open and opens others; behind a proxy all of them have the same address.
    static func board(_ memory: MemoryBudget) -> HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        limits.connections = 8_192
        limits.connectionsPerAddress = 8_192
        limits.waitingConnections = 3_072
        limits.queuedBytes = memory.bytes(for: .queuedHTTP)
        // Strangers have a part of their own, so that they keep no upload out. An upload is in memory two or three times
        // while it is forwarded.
        limits.bodies = memory.bytes(for: .incompleteMessages) / 8
        limits.uploads = memory.bytes(for: .incompleteMessages) / 8 * 7
        return limits
    }
}

/// The path below which a reverse proxy shows the board: `/` or a path such as `/marquee/`.
public struct BasePath: Hashable, Sendable, CustomStringConvertible {
    /// The path, with a slash at both ends.
    public let description: String
    /// The root of the host.
    public static let root = BasePath(unchecked: "/")

    private init(unchecked text: String) {
        description = text
    }

    /// Makes a path of ASCII letters, digits, `-`, `_`, `.` and slashes, the first one at the start; nil of anything else.
    public init?(_ text: String) {
        let parts = text.parts(between: "/")
        let isPlain = parts.allSatisfy { part in
            part != "." && part != ".."
                && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
        }
        guard text.hasPrefix("/"), isPlain else { return nil }
        self.init(unchecked: parts.isEmpty ? "/" : "/\(parts.joined(separator: "/"))/")
    }

    /// Returns the part of a request's path after the base path, without a slash before it; nil if it is not below.
    func relativePath(of path: String) -> Substring? {
        if path.hasPrefix(description) { return path.dropFirst(description.count) }
        return path + "/" == description ? "" : nil
    }
}

/// The board's errors, and the headers of all its answers.
extension WebResponse {
    static let notFound = text("there is no such page\n", status: 404)
    static let notForVisitors = text(
        "the metrics are for the operator: sign in, or set MARQUEE_BOARD_METRICS_HTTP\n", status: 403)
    static let methodNotAllowed = WebResponse(
        status: 405, contentType: "text/plain;charset=UTF-8", headers: [("Allow", "GET, HEAD")],
        body: .bytes(Array("this address allows only GET and HEAD\n".utf8)))

    /// The header of an answer that no cache keeps.
    static let noStore = (name: "Cache-Control", value: "no-store")

    /// Returns the contract's error object with an HTTP status; nil stands for the one that matches its code.
    static func failure(_ error: ContractError, status: Int? = nil) -> WebResponse {
        let usual =
            switch error.code {
            case .badRequest, .dateOutOfRange: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .conflict: 409
            case .notFound, .notPublished: 404
            case .overloaded, .quotaExhausted: 429
            case .internal where error.retryAfter == nil: 500
            default: 503
            }
        var response = WebResponse.json(
            JSON.encodeInfallibly(error), status: status ?? usual, headers: [noStore])
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", "\(seconds)")) }
        return response
    }

    private static let resourcePolicy = "Cross-Origin-Resource-Policy"

    /// Returns the response with a header that lets other sites show it as an image.
    func forOtherSites() -> WebResponse {
        var response = self
        response.headers.append((Self.resourcePolicy, "cross-origin"))
        return response
    }

    /// Returns the response with headers that let the browser trust nothing but the board itself: no script or style in a
    /// page or from elsewhere, no frame of another site, no image there unless ``forOtherSites()`` allows it.
    func withSecurityHeaders(isSecure: Bool) -> WebResponse {
        var response = self
        response.headers += [
            // Images that the page draws itself, for saving, have `blob:` URLs.
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
                    + "manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; "
                    + "require-trusted-types-for 'script'; trusted-types 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ]
        if !headers.contains(where: { $0.name == Self.resourcePolicy }) {
            response.headers.append((Self.resourcePolicy, "same-origin"))
        }
        if isSecure { response.headers.append(("Strict-Transport-Security", "max-age=31536000")) }
        return response
    }
}
