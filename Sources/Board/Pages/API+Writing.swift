import Contract
import FoundationEssentials
import JSONCoding
import Operations
import WebServer

/// What changes something: requests, and the sessions of those who may order.
extension API {
    /// Answers what is not `GET`.
    func write(_ request: WebRequest, _ words: [Substring]) async throws -> WebResponse {
        // What a page of another site causes is told by every browser of today; who says nothing is no browser.
        guard ["same-origin", nil].contains(request.header("Sec-Fetch-Site")) else {
            throw ContractError(.forbidden, "only pages of the board may ask for this")
        }
        switch (request.method, words) {
        case ("POST", ["requests"]): return try await ask(request)
        case ("POST", ["session"]): return try beginSession(request)
        case ("DELETE", ["session"]):
            sessions.end(SessionCookie.token(of: request))
            return session(isOpen: false, token: nil, request)
        case ("POST", _): throw ContractError(.notFound, "nothing is posted here")
        default: return .onlyGet
        }
    }

    /// Whether there is a shop, whether anybody may write there, and whether this visitor may.
    func shop(_ request: WebRequest) async throws -> WebResponse {
        var isOpen = hasMarket
        if !isOpen { isOpen = try await model.knowsProducts() }
        let answer = [
            "isOpen": isOpen, "canBeWritten": sessions.isPossible, "isSignedIn": isSignedIn(request),
        ]
        var response = WebResponse.json(try JSON.encode(answer))
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    private func isSignedIn(_ request: WebRequest) -> Bool {
        sessions.holds(SessionCookie.token(of: request))
    }

    private func ask(_ request: WebRequest) async throws -> WebResponse {
        let type = request.header("Content-Type") ?? ""
        let frames: [[UInt8]]
        // Other sites can make a browser post text to us, but neither of these without our leave.
        if type.hasPrefix("application/json") {
            frames = [request.body]
        } else if type == FramedBody.contentType {
            frames = try FramedBody.frames(request.body)
        } else {
            throw ContractError(.badRequest, "requests are posted as application/json", field: "Content-Type")
        }
        let id = try await requests.ask(
            frames.first ?? [], images: Array(frames.dropFirst()), mayOrder: isSignedIn(request))
        return .json(try JSON.encode(["id": id]), status: 202)
    }

    private func beginSession(_ request: WebRequest) throws -> WebResponse {
        guard request.header("Content-Type")?.hasPrefix("application/json") == true,
            let attempt = try? JSON.decode(Attempt.self, from: request.body)
        else { throw ContractError(.badRequest, "a password is posted as a JSON object", field: "password") }
        do {
            return session(isOpen: true, token: try sessions.begin(with: attempt.password), request)
        } catch {
            // Those that are too many say nothing more, and would fill the log.
            if error.code == .unauthorized { logger.warning("somebody tried a wrong password") }
            throw error
        }
    }

    private func session(isOpen: Bool, token: String?, _ request: WebRequest) -> WebResponse {
        var response = WebResponse.json(Array("{\"isSignedIn\":\(isOpen)}".utf8))
        response.headers += [
            SessionCookie.header(token, base: base, answering: request), ("Cache-Control", "no-store"),
        ]
        return response
    }
}

private struct Attempt: Decodable {
    let password: String
}
