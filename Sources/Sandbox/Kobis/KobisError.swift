import JSONCoding

/// What the Korean Film Council's API says when it refuses a call; misspellings are its own.
struct KobisError: Hashable, Sendable {
    let code: String
    let message: String

    static let wrongKey = KobisError(code: "320010", message: "유효하지않은 키값입니다.")
    static let quotaExhausted = KobisError(code: "320011", message: "키의 하루 이용량을 초과하였습니다.")

    static func missingDate(parameter: String) -> KobisError {
        KobisError(code: "320102", message: "날짜는 필수항목입니다.[parameterName=\(parameter),parameterValue=null]")
    }

    static func malformedDate(parameter: String, value: String) -> KobisError {
        KobisError(
            code: "320103",
            message: "날싸형식에 맞게 입력하십시요.(YYYYMMDD)[parameterName=\(parameter),parameterValue=\(value)]")
    }

    /// The fault of a code, with the parameters of the recorded ones; a code nobody has recorded gets a text of ours.
    static func recorded(_ code: String) -> KobisError {
        switch code {
        case wrongKey.code: wrongKey
        case quotaExhausted.code: quotaExhausted
        case "320102": missingDate(parameter: "targetDt")
        case "320103": malformedDate(parameter: "targetDt", value: "2025")
        default: KobisError(code: code, message: "시스템 오류가 발생하였습니다.")
        }
    }

    var body: [UInt8] {
        JSONTree.object([
            ("faultInfo", .object([("message", .string(message)), ("errorCode", .string(code))]))
        ]).json
    }
}
