import WebServer

/// What a browser keeps of a session: nothing that a script can read, sent to the board alone, and by pages of the board
/// alone.
enum SessionCookie {
    private static let name = "marquee-session"

    /// The token that came with a request.
    static func token(of request: WebRequest) -> String? {
        for part in (request.header("Cookie") ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == name { return String(pair[1]) }
        }
        return nil
    }

    /// The header that has the browser keep a token, or forget it.
    ///
    /// Where a proxy says that the browser speaks HTTPS, the cookie is for HTTPS alone.
    static func header(
        _ token: String?, base: BasePath, answering request: WebRequest
    ) -> (name: String, value: String) {
        let age = token == nil ? 0 : SessionStore.length.components.seconds
        let secure = request.header("X-Forwarded-Proto") == "https" ? "; Secure" : ""
        return (
            "Set-Cookie",
            "\(name)=\(token ?? ""); Path=\(base); Max-Age=\(age); HttpOnly; SameSite=Strict\(secure)"
        )
    }
}
