import BoxOffice
import FoundationEssentials
import Networking
import TestSupport
import Testing

@testable import Upstreams

@Suite struct KobisErrorBodyTests {
    private func error(_ body: String, status: Int = 200, headers: [HTTPField] = []) -> UpstreamError? {
        #expect(throws: UpstreamError.self) {
            try Sample.kobis.dailyChart(Sample.date("2024-06-04"), market: .all)
                .read(Sample.response(body, status: status, headers: headers))
        }
    }

    @Test(arguments: [
        ("320010", UpstreamError.Kind.unauthorized), ("320011", .quotaExhausted), ("320102", .badRequest),
        ("320103", .badRequest), ("320199", .badRequest), ("320012", .invalid), ("3201", .invalid), ("", .invalid),
    ])
    func anErrorWithStatus200HasTheKindOfItsCode(code: String, kind: UpstreamError.Kind) {
        for key in ["faultInfo", "faultResult"] {
            let error = error(#"{"\#(key)":{"message":"이유","errorCode":"\#(code)"}}"#)
            #expect(error?.kind == kind)
            #expect(error?.code == code)
            #expect(error?.message.contains("이유") == true)
            #expect(error?.isTransient == false)
        }
    }

    @Test func anErrorIsReadBeforeTheChart() {
        let both = #"{"boxOfficeResult":{"dailyBoxOfficeList":[]},"faultInfo":{"message":"","errorCode":"320010"}}"#
        #expect(error(both)?.kind == .unauthorized)
    }

    @Test func aUsedUpQuotaRenewsAtMidnightInKorea() {
        let error = error(#"{"faultInfo":{"message":"키의 하루 이용량을 초과하였습니다.","errorCode":"320011"}}"#)
        #expect(error?.retryAfter == .seconds(9 * 3600))
    }

    @Test(arguments: [
        #"{"faultInfo":{}}"#, #"{"faultInfo":null}"#, #"{"faultInfo":"no"}"#, #"{"faultInfo":{"errorCode":null}}"#,
    ])
    func anErrorWithoutACodeIsInvalid(body: String) {
        #expect(error(body)?.kind == .invalid)
        #expect(error(body)?.code == nil)
    }

    @Test(arguments: [("320010", UpstreamError.Kind.unauthorized), ("320011", .quotaExhausted), ("999999", .invalid)])
    func anErrorInXMLHasTheKindOfItsCode(code: String, kind: UpstreamError.Kind) {
        let xml = "<faultInfo>\n<message>이유</message><errorCode> \(code) </errorCode></faultInfo>"
        let error = error(#"<?xml version="1.0" encoding="UTF-8"?>\#(xml)"#)
        #expect(error?.kind == kind && error?.code == code)
        #expect(error?.message.contains("이유") == true)
        #expect(error?.isTransient == false)
    }

    @Test func xmlWithoutACodeIsInvalid() {
        let error = error(#"<?xml version="1.0"?><OpenAPI_ServiceResponse><returnReasonCode>30</returnReasonCode>"#)
        #expect(error?.kind == .invalid && error?.code == nil)
        #expect(error?.isTransient == false)
    }

    @Test func anErrorThatIsNullIsNone() throws {
        let line = #"{"rnum":"1","rank":"1","movieCd":"20236180","movieNm":"첫눈","audiCnt":"1"}"#
        let body = #"{"faultInfo":null,"boxOfficeResult":{"dailyBoxOfficeList":[\#(line)]}}"#
        #expect(try Sample.chart(Data(body.utf8)).map(\.title) == ["첫눈"])
    }

    @Test func aNumericCodeIsRead() {
        #expect(error(#"{"faultInfo":{"errorCode":320010}}"#)?.kind == .unauthorized)
    }

    @Test(arguments: [
        (200, UpstreamError.Kind.maintenance), (500, .maintenance), (503, .maintenance), (301, .wrongAddress),
        (404, .wrongAddress), (403, .forbidden), (511, .wrongAddress),
    ])
    func anHTMLPageIsMaintenanceUnlessItsStatusSaysWhoseFaultItIs(status: Int, kind: UpstreamError.Kind) {
        #expect(error("<!DOCTYPE html><html><body>점검중</body></html>", status: status)?.kind == kind)
        let headers = [HTTPField("Content-Type", "text/html; charset=UTF-8")]
        #expect(error("점검중", status: status, headers: headers)?.kind == kind)
    }

    @Test func aChartLabelledAsAPageIsRead() throws {
        let line = #"{"rnum":"1","rank":"1","movieCd":"20236180","movieNm":"첫눈","audiCnt":"1"}"#
        let body = #"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(line)]}}"#
        let response = Sample.response(body, headers: [HTTPField("Content-Type", "text/html;charset=UTF-8")])
        let chart = try Sample.kobis.dailyChart(Sample.date("2024-06-04"), market: .all).read(response)
        #expect(chart.value.map(\.title) == ["첫눈"])
    }

    @Test(arguments: [
        (401, UpstreamError.Kind.unauthorized), (429, .quotaExhausted), (500, .unavailable), (502, .unavailable),
        (503, .maintenance), (400, .badRequest),
    ])
    func withoutAnErrorBodyTheStatusDecides(status: Int, kind: UpstreamError.Kind) {
        for body in ["", "oops", "{}", #"{"boxOfficeResult":{"dailyBoxOfficeList":[]}}"#] {
            let error = error(body, status: status)
            #expect(error?.kind == kind)
            #expect(error?.status == status)
        }
    }

    @Test func anErrorBodyTakesPrecedenceOverTheStatus() {
        #expect(error(#"{"faultInfo":{"errorCode":"320011"}}"#, status: 500)?.kind == .quotaExhausted)
    }

    @Test(arguments: try Recorded.files(in: "kobis/fault"))
    func recordedErrorsHaveTheirKind(path: String) throws {
        let error = error(String(decoding: try Recorded.data(path), as: UTF8.self))
        let kinds: [String: UpstreamError.Kind] = [
            "320010": .unauthorized, "320011": .quotaExhausted, "320102": .badRequest, "320103": .badRequest,
        ]
        #expect(error?.code.flatMap { kinds[$0] } == error?.kind)
        #expect(path.contains(error?.code ?? "no code"))
    }

    @Test func theRecordedEmptyDayIsNotPublished() throws {
        let body = try Recorded.data("kobis/constructed/daily-empty-future.json")
        #expect(error(String(decoding: body, as: UTF8.self))?.kind == .notPublished)
    }
}
