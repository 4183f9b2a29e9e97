import Contract
import FoundationEssentials
import JSONCoding
import OpenMarket
import ServiceRuntime
import WebServer

/// Requests to the worker, and the sessions of visitors who may write in the shop.
extension API {
    /// Answers a request whose method is not `GET`.
    func write(_ request: WebRequest, _ path: [Substring]) async throws -> WebResponse {
        // Browsers send this header with every request, so it shows a request of another site's page.
        // Programs that are no browsers do not send it.
        guard ["same-origin", nil].contains(request.header("Sec-Fetch-Site")) else {
            throw ContractError(.forbidden, "only the board's own pages may send this request")
        }
        switch (request.method, path) {
        case ("POST", ["requests"]): return try await forward(request)
        case ("POST", ["session"]): return try beginSession(request)
        case ("DELETE", ["session"]):
            sessions.end(cookie.token(of: request))
            return sessionResponse(isSignedIn: false, token: nil, to: request)
        case ("POST", _): throw ContractError(.notFound, "the board's API has no such address to post to")
        default: return .methodNotAllowed
        }
    }

    func isSignedIn(_ request: WebRequest) -> Bool {
        sessions.isOpen(cookie.token(of: request))
    }

    /// Whether a visitor is signed in, or on this machine if the board is for it alone; see
    /// docs/decisions/strangers-at-the-board.md.
    func isOperator(_ request: WebRequest) -> Bool {
        if isSignedIn(request) { return true }
        let marks = ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via"]
        return isPrivate && request.client?.isLoopback == true && marks.allSatisfy { request.header($0) == nil }
    }

    /// Answers whether this visitor is signed in, could sign in, and is the operator.
    func session(_ request: WebRequest) -> WebResponse {
        let answer = [
            "isSignedIn": isSignedIn(request), "canSignIn": sessions.isEnabled, "isOperator": isOperator(request),
        ]
        return .json(JSON.encodeInfallibly(answer), headers: [WebResponse.noStore])
    }

    private var cookie: SessionCookie { SessionCookie(basePath: basePath, isSecure: isSecure) }

    private func forward(_ request: WebRequest) async throws -> WebResponse {
        let type = request.header("Content-Type") ?? ""
        let frames: [[UInt8]]
        // Another site can make a browser post text here, but needs the board's consent for either of these types.
        if type.hasPrefix("application/json") {
            frames = [request.body]
        } else if type == FramedBody.contentType {
            frames = try FramedBody.frames(request.body)
        } else {
            throw ContractError(
                .badRequest, "Content-Type must be application/json or \(FramedBody.contentType)",
                field: "Content-Type")
        }
        let (isSignedIn, isOperator) = (isSignedIn(request), isOperator(request))
        let id = try await requests.forward(
            frames.first ?? [], images: Array(frames.dropFirst()), isSignedIn: isSignedIn, isOperator: isOperator)
        if isSignedIn {
            runtime.logger.info("request of a signed-in visitor", [.request: id, .address: request.client])
        }
        return .json(try JSON.encode(["id": id]), status: 202)
    }

    private func beginSession(_ request: WebRequest) throws -> WebResponse {
        guard request.header("Content-Type")?.hasPrefix("application/json") == true,
            let login = try? JSON.decode(Login.self, from: request.body)
        else {
            throw ContractError(
                .badRequest, "the body must be a JSON object with the field password, sent as application/json",
                field: "password")
        }
        do {
            let token = try sessions.begin(password: login.password, from: request.client)
            runtime.logger.info("visitor signed in", [.address: request.client])
            return sessionResponse(isSignedIn: true, token: token, to: request)
        } catch {
            if error.code != .notFound {
                refusedPasswords.warning(
                    "sign-in refused", [.address: request.client, .code: error.code.rawValue])
            }
            throw error
        }
    }

    private func sessionResponse(isSignedIn: Bool, token: String?, to request: WebRequest) -> WebResponse {
        .json(
            JSON.encodeInfallibly(["isSignedIn": isSignedIn]),
            headers: [cookie.header(token, for: request), WebResponse.noStore])
    }
}

private struct Login: Decodable {
    let password: String
}

/// A body of several frames, each preceded by its length in four bytes, most significant first.
enum FramedBody {
    /// No form of another site can send it without a CORS preflight, because it is not one of Fetch's safelisted types.
    static let contentType = "application/vnd.marquee.frames"
    /// The most bytes of a body: the JSON of a request and the largest images that it may have.
    static let limit = ProductConstraints.imageCount.upperBound * RequestFrames.imageLimit + RequestFrames.bodyLimit
    // More than a request may have, so that one image too many is reported as such.
    private static let frameLimit = 16

    static func frames(_ body: [UInt8]) throws(ContractError) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var rest = body[...]
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 4 + length, frames.count < frameLimit else {
                throw ContractError(
                    .badRequest, "the body must be at most \(frameLimit) frames, each after its length in four bytes",
                    field: "body")
            }
            frames.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return frames
    }
}
