import BoxOffice
import FoundationEssentials
import JSONCoding
import WebServer

/// Simulates the open API of the Korean Film Council (KOBIS): its calls, parameters, key checks and errors.
struct KobisHandler: Sendable {
    var key: String?
    var catalog: any MovieCatalog

    static let prefix = "/kobisopenapi/webservice/rest"

    /// Returns the response to a call. Errors have status 200, as in the real service.
    func respond(to request: WebRequest, at instant: Date) -> WebResponse {
        let path = request.path.dropFirst(Self.prefix.utf8.count)
        guard let call = Call(rawValue: String(path)), request.method == "GET" else {
            return .html(HTMLPage.notFound, status: 404)
        }
        do throws(SimulatedKobisError) {
            return .json(try body(of: call, for: request, at: instant))
        } catch {
            return .json(error.body)
        }
    }

    /// Whether the request has an accepted key. Only such calls count towards the quota.
    func accepts(_ request: WebRequest) -> Bool {
        guard let sent = request.query("key") else { return false }
        return key.map { $0 == sent } ?? (sent.utf8.count == 32 && sent.allSatisfy(\.isHexDigit))
    }

    private func body(
        of call: Call, for request: WebRequest, at instant: Date
    ) throws(SimulatedKobisError) -> [UInt8] {
        guard accepts(request) else { throw .wrongKey }
        switch call {
        case .dailyChart:
            return catalog.chart(try chartQuery(request, span: nil), at: instant)
        case .weeklyChart:
            let spans: [String: Week.Span] = ["0": .week, "1": .weekend, "2": .weekdays]
            let span = request.query("weekGb").flatMap { spans[$0] } ?? .weekend
            return catalog.chart(try chartQuery(request, span: span), at: instant)
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

    private func chartQuery(_ request: WebRequest, span: Week.Span?) throws(SimulatedKobisError) -> ChartQuery {
        guard let text = request.query("targetDt"), !text.isEmpty else { throw .missingDate }
        guard text.utf8.count == 8, let date = KoreanDate(text) else { throw .malformedDate(text) }
        // The service ignores filter values that it does not know.
        let films: [String: Market.Films] = ["Y": .diverse, "N": .commercial]
        let market = Market(
            nation: request.query("repNationCd").flatMap(Market.Nation.init(rawValue:)),
            films: request.query("multiMovieYn").flatMap { films[$0] },
            area: request.query("wideAreaCd").flatMap { Market.Area($0) })
        let period = span.map { ChartPeriod(Week(of: date, span: $0)) } ?? ChartPeriod(day: date)
        return ChartQuery(period: period, market: market)
    }

    /// Returns the code list of areas; all other lists are empty.
    private static func codes(_ group: String) -> [UInt8] {
        let codes = (group == "0105000000" ? Market.areas : []).map { named -> OrderedObject in
            ["fullCd": "\(named.area)", "korNm": named.name, "engNm": named.nameEnglish ?? ""]
        }
        return (["codes": codes] as OrderedObject).json
    }
}

/// An error of the KOBIS API. The misspellings in the messages are the service's own.
struct SimulatedKobisError: Error, Hashable {
    let code: String
    let message: String

    static let wrongKey = SimulatedKobisError(code: "320010", message: "유효하지않은 키값입니다.")
    static let quotaExhausted = SimulatedKobisError(code: "320011", message: "키의 하루 이용량을 초과하였습니다.")

    static let missingDate = SimulatedKobisError(
        code: "320102", message: "날짜는 필수항목입니다.[parameterName=targetDt,parameterValue=null]")

    static func malformedDate(_ value: String) -> SimulatedKobisError {
        SimulatedKobisError(
            code: "320103", message: "날싸형식에 맞게 입력하십시요.(YYYYMMDD)[parameterName=targetDt,parameterValue=\(value)]")
    }

    /// Returns the error with a code, as recorded; a code without a recording gets a generic message.
    static func recorded(_ code: String) -> SimulatedKobisError {
        switch code {
        case wrongKey.code: wrongKey
        case quotaExhausted.code: quotaExhausted
        case missingDate.code: missingDate
        case "320103": malformedDate("2025")
        default: SimulatedKobisError(code: code, message: "시스템 오류가 발생하였습니다.")
        }
    }

    var body: [UInt8] {
        (["faultInfo": ["message": message, "errorCode": code] as OrderedObject] as OrderedObject).json
    }
}
