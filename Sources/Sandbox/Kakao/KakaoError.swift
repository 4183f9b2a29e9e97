import JSONCoding
import WebServer

/// What Kakao's API says when it refuses a call, in either of its two styles.
struct KakaoError: Hashable, Sendable {
    let status: Int
    let body: [UInt8]

    private init(status: Int, errorType: String, message: String) {
        self.status = status
        body = JSONTree.object([("errorType", .string(errorType)), ("message", .string(message))]).json
    }

    /// The platform's older style.
    private init(status: Int, code: Int, msg: String) {
        self.status = status
        body = JSONTree.object([("code", .number(code)), ("msg", .string(msg))]).json
    }

    static let missingQuery = KakaoError(
        status: 400, errorType: "MissingParameter", message: "query parameter required")
    static let unknownKey = KakaoError(status: 401, errorType: "AccessDeniedError", message: "cannot find appkey")
    static let throttled = KakaoError(
        status: 429, errorType: "RequestThrottled", message: "API limit has been exceeded.")

    static func malformedKey(_ key: String?) -> KakaoError {
        KakaoError(status: 401, errorType: "AccessDeniedError", message: "wrong appKey(\(key ?? "null")) format")
    }

    static func outOfRange(_ parameter: String, isTooLarge: Bool) -> KakaoError {
        KakaoError(
            status: 400, errorType: "InvalidArgument",
            message: "\(parameter) is \(isTooLarge ? "more than max" : "less than min")")
    }

    /// The fault of a code (`-10`) or an error type (`RequestThrottled`) as recorded, with the status it comes with.
    static func recorded(_ code: String) -> KakaoError {
        switch code {
        case "-10": KakaoError(status: 400, code: -10, msg: "API limit has been exceeded.")
        case "-401": KakaoError(status: 401, code: -401, msg: "wrong appKey")
        case "-7": KakaoError(status: 503, code: -7, msg: "service maintenance")
        case "-1": KakaoError(status: 400, code: -1, msg: "internal error")
        case "MissingParameter": missingQuery
        case "InvalidArgument": outOfRange("page", isTooLarge: true)
        case "AccessDeniedError": unknownKey
        case "NotAuthorizedError":
            KakaoError(
                status: 403, errorType: "NotAuthorizedError", message: "App(sandbox) disabled IMAGE_SEARCH service.")
        case "RequestThrottled": throttled
        default: KakaoError(status: 400, errorType: code, message: "unknown error")
        }
    }

    var response: WebResponse {
        .json(body, status: status)
    }
}
