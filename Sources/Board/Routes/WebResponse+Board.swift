import Contract
import JSONCoding
import WebServer

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

    /// Returns the response with headers that let the browser trust nothing but the board itself.
    ///
    /// The browser runs no script and applies no style that is in a page or comes from elsewhere, lets no other site show
    /// the board in a frame or, unless ``forOtherSites()`` allows it, as an image, and sends none of the board's addresses
    /// to others.
    ///
    /// - Parameter isSecure: Whether visitors reach the board by HTTPS; browsers then use nothing else for a year.
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
