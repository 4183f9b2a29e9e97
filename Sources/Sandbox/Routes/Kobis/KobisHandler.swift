import BoxOffice
import FoundationEssentials
import JSONCoding
import WebServer

/// Simulates the open API of the Korean Film Council (KOBIS): its calls, parameters, key checks and errors.
struct KobisHandler: Sendable {
    /// The only accepted key; nil accepts every key of 32 hexadecimal digits.
    var key: String?
    var catalog: any MovieCatalog

    /// The path prefix of all calls.
    static let prefix = "/kobisopenapi/webservice/rest"

    /// Returns the response to a call. Errors have status 200, as in the real service.
    func respond(to request: WebRequest, at instant: Date) -> WebResponse {
        do throws(CallError) {
            return .json(try body(for: request, at: instant))
        } catch {
            switch error {
            case .kobis(let error): return .json(error.body)
            case .unknownCall: return .html(HTMLPage.notFound, status: 404)
            }
        }
    }

    /// Whether the request has an accepted key. Only such calls count towards the quota.
    func accepts(_ request: WebRequest) -> Bool {
        guard let sent = request.query("key") else { return false }
        return key.map { $0 == sent } ?? (sent.utf8.count == 32 && sent.allSatisfy(\.isHexDigit))
    }

    private enum CallError: Error {
        case kobis(SimulatedKobisError)
        case unknownCall
    }

    private func body(for request: WebRequest, at instant: Date) throws(CallError) -> [UInt8] {
        let call = request.path.dropFirst(Self.prefix.utf8.count)
        guard let known = Call(rawValue: String(call)), request.method == "GET" else { throw .unknownCall }
        guard accepts(request) else { throw .kobis(.wrongKey) }
        switch known {
        case .dailyChart:
            return catalog.chart(try chartQuery(request, part: nil), at: instant)
        case .weeklyChart:
            let part = request.query("weekGb").flatMap(ChartPeriod.Part.init(rawValue:)) ?? .weekend
            return catalog.chart(try chartQuery(request, part: part), at: instant)
        case .movie:
            return catalog.movie(code: request.query("movieCd") ?? "", at: instant)
        case .codes:
            return Self.codes(request.query("comCode") ?? "")
        }
    }

    private enum Call: String {
        case dailyChart = "/boxoffice/searchDailyBoxOfficeList.json"
        case weeklyChart = "/boxoffice/searchWeeklyBoxOfficeList.json"
        case movie = "/movie/searchMovieInfo.json"
        case codes = "/code/searchCodeList.json"
    }

    private func chartQuery(_ request: WebRequest, part: ChartPeriod.Part?) throws(CallError) -> ChartQuery {
        guard let text = request.query("targetDt"), !text.isEmpty else {
            throw .kobis(.missingDate(parameter: "targetDt"))
        }
        guard text.utf8.count == 8, let date = KoreanDate(text) else {
            throw .kobis(.malformedDate(parameter: "targetDt", value: text))
        }
        // The service ignores filter values that it does not know, and never sends more than ten lines.
        let films: [String: Market.Films] = ["Y": .diverse, "N": .commercial]
        let market = Market(
            nation: request.query("repNationCd").flatMap(Market.Nation.init(rawValue:)),
            films: request.query("multiMovieYn").flatMap { films[$0] },
            area: request.query("wideAreaCd").flatMap { Market.Area($0) })
        let lines = request.query("itemPerPage").flatMap { Int($0) } ?? 10
        return ChartQuery(date: date, part: part, market: market, lines: (1...10).contains(lines) ? lines : 10)
    }

    /// Returns the code list of areas; all other lists are empty.
    private static func codes(_ group: String) -> [UInt8] {
        let areas = group == "0105000000" ? Area.all : []
        return JSONTree.object([
            (
                "codes",
                .array(
                    areas.map {
                        .object([
                            ("fullCd", .string($0.code)), ("korNm", .string($0.name)),
                            ("engNm", .string($0.nameEnglish)),
                        ])
                    })
            )
        ]).json
    }
}

/// An error of the KOBIS API. The misspellings in the messages are the service's own.
struct SimulatedKobisError: Hashable, Sendable {
    let code: String
    let message: String

    static let wrongKey = SimulatedKobisError(code: "320010", message: "유효하지않은 키값입니다.")
    static let quotaExhausted = SimulatedKobisError(code: "320011", message: "키의 하루 이용량을 초과하였습니다.")

    static func missingDate(parameter: String) -> SimulatedKobisError {
        SimulatedKobisError(code: "320102", message: "날짜는 필수항목입니다.[parameterName=\(parameter),parameterValue=null]")
    }

    static func malformedDate(parameter: String, value: String) -> SimulatedKobisError {
        SimulatedKobisError(
            code: "320103",
            message: "날싸형식에 맞게 입력하십시요.(YYYYMMDD)[parameterName=\(parameter),parameterValue=\(value)]")
    }

    /// Returns the error with a code, as recorded; a code without a recording gets a generic message.
    static func recorded(_ code: String) -> SimulatedKobisError {
        switch code {
        case wrongKey.code: wrongKey
        case quotaExhausted.code: quotaExhausted
        case "320102": missingDate(parameter: "targetDt")
        case "320103": malformedDate(parameter: "targetDt", value: "2025")
        default: SimulatedKobisError(code: code, message: "시스템 오류가 발생하였습니다.")
        }
    }

    var body: [UInt8] {
        JSONTree.object([
            ("faultInfo", .object([("message", .string(message)), ("errorCode", .string(code))]))
        ]).json
    }
}
