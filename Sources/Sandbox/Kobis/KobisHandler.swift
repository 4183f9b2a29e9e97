import BoxOffice
import FoundationEssentials
import JSONCoding
import WebServer

/// Plays the Korean Film Council's open API: its calls, parameters, key checks and faults.
struct KobisHandler: Sendable {
    /// The only key that is accepted; nil for any of 32 hexadecimal digits.
    var key: String?
    var repertoire: any MovieCatalog

    /// What all calls have before their group and name.
    static let prefix = "/kobisopenapi/webservice/rest"

    /// Answers a call. Faults come with status 200, as the service sends them.
    func answer(_ request: WebRequest, at instant: Date) -> WebResponse {
        do throws(Refusal) {
            return .json(try body(for: request, at: instant))
        } catch {
            switch error {
            case .fault(let fault): return .json(fault.body)
            case .unknownCall: return .html(MaintenancePage.notFound, status: 404)
            }
        }
    }

    /// Whether the request has a key that is accepted: only such calls use up the key's quota.
    func accepts(_ request: WebRequest) -> Bool {
        guard let sent = request.query("key") else { return false }
        return key.map { $0 == sent } ?? (sent.utf8.count == 32 && sent.allSatisfy(\.isHexDigit))
    }

    private enum Refusal: Error {
        case fault(KobisError)
        case unknownCall
    }

    private func body(for request: WebRequest, at instant: Date) throws(Refusal) -> [UInt8] {
        let call = request.path.dropFirst(Self.prefix.utf8.count)
        guard let known = Call(rawValue: String(call)), request.method == "GET" else { throw .unknownCall }
        guard accepts(request) else { throw .fault(.wrongKey) }
        switch known {
        case .dailyChart:
            return repertoire.chart(try question(request, part: nil), at: instant)
        case .weeklyChart:
            let part = request.query("weekGb").flatMap(ChartPeriod.Part.init(rawValue:)) ?? .weekend
            return repertoire.chart(try question(request, part: part), at: instant)
        case .movie:
            return repertoire.movie(code: request.query("movieCd") ?? "", at: instant)
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

    private func question(_ request: WebRequest, part: ChartPeriod.Part?) throws(Refusal) -> ChartQuery {
        guard let text = request.query("targetDt"), !text.isEmpty else {
            throw .fault(.missingDate(parameter: "targetDt"))
        }
        guard text.utf8.count == 8, let date = KoreanDate(text) else {
            throw .fault(.malformedDate(parameter: "targetDt", value: text))
        }
        // The filters that the service does not know it leaves out; more than ten lines it never sends.
        let films: [String: Market.Films] = ["Y": .diverse, "N": .commercial]
        let market = Market(
            nation: request.query("repNationCd").flatMap(Market.Nation.init(rawValue:)),
            films: request.query("multiMovieYn").flatMap { films[$0] },
            area: request.query("wideAreaCd").flatMap { Market.Area($0) })
        let lines = request.query("itemPerPage").flatMap { Int($0) } ?? 10
        return ChartQuery(date: date, part: part, market: market, lines: (1...10).contains(lines) ? lines : 10)
    }

    /// The list of areas; other lists are empty here.
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
