import JSONCoding
import WebServer

/// What the market says when it refuses, as Spring says it.
struct OpenMarketError: Error, Hashable {
    let status: Int
    let message: String

    static let unknownVendor = OpenMarketError(status: 401, message: "등록되지 않은 identifier 입니다.")
    static let wrongSecret = OpenMarketError(status: 401, message: "secret 이 일치하지 않습니다.")
    static let foreignProduct = OpenMarketError(status: 403, message: "본인이 등록한 상품이 아닙니다.")
    static let unknownProduct = OpenMarketError(status: 404, message: "존재하지 않는 상품입니다.")
    static let tooLarge = OpenMarketError(
        status: 400, message: "Maximum upload size exceeded; the image must not be larger than 307200 bytes")

    static func unreadable(_ type: String) -> OpenMarketError {
        OpenMarketError(
            status: 400,
            message:
                "JSON parse error: Cannot construct instance of `kr.yagom.market.\(type)`, problem: unreadable value")
    }

    static func missingPart(_ name: String) -> OpenMarketError {
        OpenMarketError(status: 400, message: "Required request part '\(name)' is not present")
    }

    static let noForm = OpenMarketError(
        status: 400,
        message: "Failed to parse multipart servlet request; nested exception is java.io.IOException: "
            + "org.apache.tomcat.util.http.fileupload.FileUploadException: the request was rejected because no multipart "
            + "boundary was found")

    /// The fault with this status; a word that is none is a 400.
    static func recorded(_ code: String) -> OpenMarketError {
        switch code {
        case "401": wrongSecret
        case "403": foreignProduct
        case "404": unknownProduct
        default:
            OpenMarketError(status: Int(code).flatMap { (400...599).contains($0) ? $0 : nil } ?? 400, message: "error")
        }
    }

    var response: WebResponse {
        .json(JSONTree.object([("code", .number(status)), ("message", .string(message))]).json, status: status)
    }
}
