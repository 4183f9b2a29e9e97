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

    private init(status: Int, errorType: String, message: String) {
        self.status = status
        body = (["errorType": errorType, "message": message] as OrderedObject).json
    }

    /// The older format, of the platform.
    private init(status: Int, code: Int, msg: String) {
        self.status = status
        body = (["code": code, "msg": msg] as OrderedObject).json
    }

    static let missingQuery = SimulatedKakaoError(
        status: 400, errorType: "MissingParameter", message: "query parameter required")
    static let unknownKey = SimulatedKakaoError(
        status: 401, errorType: "AccessDeniedError", message: "cannot find appkey")
    static let throttled = SimulatedKakaoError(
        status: 429, errorType: "RequestThrottled", message: "API limit has been exceeded.")

    static func malformedKey(_ key: String?) -> SimulatedKakaoError {
        SimulatedKakaoError(
            status: 401, errorType: "AccessDeniedError", message: "wrong appKey(\(key ?? "null")) format")
    }

    static func outOfRange(_ parameter: String, isTooLarge: Bool) -> SimulatedKakaoError {
        SimulatedKakaoError(
            status: 400, errorType: "InvalidArgument",
            message: "\(parameter) is \(isTooLarge ? "more than max" : "less than min")")
    }

    /// Returns the recorded error with a code (`-10`) or an error type (`RequestThrottled`), and its status.
    static func recorded(_ code: String) -> SimulatedKakaoError {
        switch code {
        case "-10": SimulatedKakaoError(status: 400, code: -10, msg: "API limit has been exceeded.")
        case "-401": SimulatedKakaoError(status: 401, code: -401, msg: "wrong appKey")
        case "-7": SimulatedKakaoError(status: 503, code: -7, msg: "service maintenance")
        case "-1": SimulatedKakaoError(status: 400, code: -1, msg: "internal error")
        case "MissingParameter": missingQuery
        case "InvalidArgument": outOfRange("page", isTooLarge: true)
        case "AccessDeniedError": unknownKey
        case "NotAuthorizedError":
            SimulatedKakaoError(
                status: 403, errorType: "NotAuthorizedError", message: "App(sandbox) disabled IMAGE_SEARCH service.")
        case "RequestThrottled": throttled
        default: SimulatedKakaoError(status: 400, errorType: code, message: "unknown error")
        }
    }

    var response: WebResponse {
        .json(body, status: status)
    }
}
