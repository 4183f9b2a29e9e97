import FoundationEssentials
import JSONCoding
import WebServer

/// Simulates Kakao's image search: its parameters, key checks and errors.
struct KakaoHandler: Sendable {
    var catalog: any MovieCatalog

    static let path = "/v2/search/image"

    func respond(to request: WebRequest, base: String, at instant: Date) -> WebResponse {
        do throws(SimulatedKakaoError) {
            try checkKey(of: request)
            guard let text = request.query("query"), !text.isEmpty else { throw .missingQuery }
            let page = try number("page", in: 1...50, default: 1, of: request)
            let size = try number("size", in: 1...80, default: 80, of: request)
            let query = ImageQuery(text: text, page: page, size: size)
            return .json(catalog.images(query, base: base, at: instant))
        } catch {
            return error.response
        }
    }

    /// Whether the request has an accepted key. Only such calls count towards the quota.
    func accepts(_ request: WebRequest) -> Bool {
        (try? checkKey(of: request)) != nil
    }

    private func checkKey(of request: WebRequest) throws(SimulatedKakaoError) {
        let words = (request.header("Authorization") ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.first == "KakaoAK" else { throw .malformedKey(nil) }
        guard words.count == 2, !words[1].isEmpty else {
            throw .malformedKey(words.dropFirst().joined(separator: " "))
        }
    }

    private func number(
        _ name: String, in range: ClosedRange<Int>, default standard: Int, of request: WebRequest
    ) throws(SimulatedKakaoError) -> Int {
        guard let text = request.query(name) else { return standard }
        guard let number = Int(text), number >= range.lowerBound else {
            throw .outOfRange(name, isTooLarge: false)
        }
        guard number <= range.upperBound else { throw .outOfRange(name, isTooLarge: true) }
        return number
    }
}

/// An error of Kakao's API, in one of its two formats.
struct SimulatedKakaoError: Error, Hashable {
    let status: Int
    let body: [UInt8]

    private init(status: Int, _ error: OrderedObject) {
        self.status = status
        body = error.json
    }

    private static func error(_ status: Int, _ type: String, _ message: String) -> SimulatedKakaoError {
        SimulatedKakaoError(status: status, ["errorType": type, "message": message])
    }

    /// Makes an error in the older format, of the platform.
    private static func error(_ status: Int, _ code: Int, _ message: String) -> SimulatedKakaoError {
        SimulatedKakaoError(status: status, ["code": code, "msg": message])
    }

    static let missingQuery = error(400, "MissingParameter", "query parameter required")
    static let unknownKey = error(401, "AccessDeniedError", "cannot find appkey")
    static let throttled = error(429, "RequestThrottled", "API limit has been exceeded.")

    static func malformedKey(_ key: String?) -> SimulatedKakaoError {
        error(401, "AccessDeniedError", "wrong appKey(\(key ?? "null")) format")
    }

    static func outOfRange(_ parameter: String, isTooLarge: Bool) -> SimulatedKakaoError {
        error(400, "InvalidArgument", "\(parameter) is \(isTooLarge ? "more than max" : "less than min")")
    }

    /// Returns the recorded error with a code (`-10`) or an error type (`RequestThrottled`), and its status.
    static func recorded(_ code: String) -> SimulatedKakaoError {
        switch code {
        case "-10": error(400, -10, "API limit has been exceeded.")
        case "-401": error(401, -401, "wrong appKey")
        case "-7": error(503, -7, "service maintenance")
        case "-1": error(400, -1, "internal error")
        case "MissingParameter": missingQuery
        case "InvalidArgument": outOfRange("page", isTooLarge: true)
        case "AccessDeniedError": unknownKey
        case "NotAuthorizedError": error(403, code, "App(sandbox) disabled IMAGE_SEARCH service.")
        case "RequestThrottled": throttled
        default: error(400, code, "unknown error")
        }
    }

    var response: WebResponse {
        .json(body, status: status)
    }
}
