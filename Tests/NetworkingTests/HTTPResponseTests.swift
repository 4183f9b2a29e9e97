import Foundation
import Testing

@testable import Networking

struct HTTPResponseTests {
    private struct List: Decodable, Sendable {
        struct Line: Decodable {
            let audiCnt: Int
            let names: [String]
        }
        let dailyBoxOfficeList: [Line]
    }

    @Test(
        "A decoding error names the field",
        arguments: [
            (#"{"audiCnt":"x","names":[]}"#, "dailyBoxOfficeList[1].audiCnt"),
            (#"{"names":[]}"#, "dailyBoxOfficeList[1].audiCnt"), (#"{"audiCnt":1}"#, "dailyBoxOfficeList[1].names"),
            (#"{"audiCnt":1,"names":["a",null]}"#, "dailyBoxOfficeList[1].names[1]"), ("7", "dailyBoxOfficeList[1]"),
        ])
    func field(line: String, path: String) async throws {
        let body = #"{"dailyBoxOfficeList":[{"audiCnt":1,"names":["a"]},\#(line)]}"#
        let error = await failure { () throws(UpstreamError) in
            try HTTPResponse(body: Data(body.utf8)).decode(List.self, of: "test")
        }
        #expect(error?.kind == .invalid)
        #expect(error?.field == path)
        #expect(error?.isTransient == false)
    }

    @Test("JSON of more values than an upstream's answer has is refused before it is decoded")
    func crowded() async {
        let body = "[" + String(repeating: "0,", count: 100_000) + "0]"
        let error = await failure { () throws(UpstreamError) in
            try HTTPResponse(body: Data(body.utf8)).decode([Int].self, of: "test")
        }
        #expect(error?.kind == .invalid && error?.message.contains("more than 100000 values") == true)
        #expect((try? HTTPResponse(body: Data("[0,0]".utf8)).decode([Int].self, of: "test")) == [0, 0])
    }

    @Test("A body that is not JSON has no field", arguments: ["", "{", "wrong"])
    func noJSON(body: String) async {
        let error = await failure { () throws(UpstreamError) in
            try HTTPResponse(body: Data(body.utf8)).decode(List.self, of: "test")
        }
        #expect(error?.kind == .invalid)
        #expect(error?.field == nil)
    }

    @Test("The field path can leave out wrapper keys")
    func droppedWrapper() {
        enum Key: String, CodingKey { case boxOfficeResult, dailyBoxOfficeList, audiCnt }
        struct Index: CodingKey {
            let intValue: Int?
            var stringValue: String { "Index" }
            init(_ index: Int) { intValue = index }
            init?(intValue: Int) { self.intValue = intValue }
            init?(stringValue: String) { nil }
        }
        let path: [any CodingKey] = [Key.boxOfficeResult, Key.dailyBoxOfficeList, Index(3), Key.audiCnt]
        #expect(path.dropFirst().fieldPath == "dailyBoxOfficeList[3].audiCnt")
    }

    @Test(
        "A page in place of JSON is maintenance, unless its status says whose fault it is",
        arguments: [
            (200, .maintenance), (500, .maintenance), (503, .maintenance), (302, .wrongAddress), (401, .unauthorized),
            (403, .forbidden), (404, .notFound), (407, .wrongAddress), (429, .quotaExhausted), (511, .wrongAddress),
        ] as [(Int, UpstreamError.Kind)], ["<html>", "\n\u{FEFF} <!DOCTYPE html>"])
    func page(status: (Int, UpstreamError.Kind), body: String) async {
        let endpoint = APICall<[Int]>(service: "test", request: HTTPRequest("http://a"))
        let response = HTTPResponse(status: status.0, body: Data(body.utf8))
        let error = await failure { () throws(UpstreamError) in try endpoint.read(response) }
        #expect(error?.kind == status.1)
        #expect(error?.status == status.0)
    }

    @Test("XML is no notice, unless it is a web page")
    func xml() {
        let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#
        let label = [HTTPField("Content-Type", "application/xml;charset=UTF-8")]
        #expect(HTTPResponse(body: Data("\(declaration)<fault/>".utf8)).isXML)
        #expect(HTTPResponse(headers: label, body: Data("<fault/>".utf8)).isXML)
        let page = HTTPResponse(headers: label, body: Data("\(declaration)\n<!DOCTYPE html>\n<html>".utf8))
        #expect(page.isHTML && !page.isXML)
    }

    @Test("A service with fixed paths is not at an address that answers 421, 426, or 400 with a page")
    func wrongPort() {
        func kind(_ status: Int, _ body: String = "", hasFixedPaths: Bool = true) -> UpstreamError.Kind? {
            HTTPResponse(status: status, body: Data(body.utf8)).failure(of: "test", hasFixedPaths: hasFixedPaths)?.kind
        }
        let page = "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>"
        #expect([kind(400, page), kind(421), kind(426)] == [.wrongAddress, .wrongAddress, .wrongAddress])
        #expect([kind(400), kind(400, page, hasFixedPaths: false)] == [.badRequest, .badRequest])
    }

    @Test("JSON is read under the label of a page, and a page under the label of JSON is a page")
    func labels() {
        let endpoint = APICall<[Int]>(service: "test", request: HTTPRequest("http://a"))
        func read(_ body: String, as type: String) -> ([Int]?, UpstreamError.Kind?) {
            let response = HTTPResponse(headers: [HTTPField("Content-Type", type)], body: Data(body.utf8))
            do throws(UpstreamError) {
                return (try endpoint.read(response), nil)
            } catch {
                return (nil, error.kind)
            }
        }
        #expect(read("\u{FEFF}\n[1]", as: "text/html;charset=UTF-8") == ([1], nil))
        #expect(read("<p>점검 중", as: "application/json") == (nil, .maintenance))
        #expect(read("점검 중", as: "text/html") == (nil, .maintenance))
        #expect(read("[1", as: "text/html") == (nil, .invalid))
        #expect(read("", as: "text/html") == (nil, .invalid))
    }

    @Test(
        "A status has a kind",
        arguments: [
            (200, nil), (204, nil), (302, .wrongAddress), (400, .badRequest), (401, .unauthorized), (403, .forbidden),
            (404, .notFound), (408, .timeout), (410, .badRequest), (425, .unavailable), (429, .quotaExhausted),
            (407, .wrongAddress), (500, .unavailable), (501, .invalid), (502, .unavailable), (503, .maintenance),
            (504, .unavailable), (505, .invalid), (511, .wrongAddress),
        ] as [(Int, UpstreamError.Kind?)])
    func statuses(status: Int, kind: UpstreamError.Kind?) {
        #expect(HTTPResponse(status: status).failure(of: "test")?.kind == kind)
    }

    @Test(
        "Retry-After is read as seconds, whole or not, as any HTTP date, and in the other forms that services send",
        arguments: [
            ("0.25", .milliseconds(250)), ("7.0", .seconds(7)),
            ("120", .seconds(120)), ("0", .zero), ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)), ("Sun Nov  6 08:50:37 1994", .seconds(60)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", .zero), ("-5", nil), ("soon", nil), ("", nil), (".", nil), ("1.2.3", nil),
            ("90, 120", .seconds(120)), ("120,90", .seconds(120)), ("90x", nil), ("86401", .seconds(86_401)),
            ("99999999999999999999", .seconds(1_000_000_000)),
        ] as [(String, Duration?)])
    func retryAfter(text: String, duration: Duration?) {
        #expect(Duration(retryAfter: text, at: Date(timeIntervalSince1970: 784_111_777)) == duration)
    }

    @Test("A Retry-After of a thousand million seconds or more is a time since 1970")
    func retryTime() {
        let now = Date(timeIntervalSince1970: 1_795_738_865)
        #expect(Duration(retryAfter: "1795738925", at: now) == .seconds(60))
        #expect(Duration(retryAfter: "1795738000", at: now) == .zero)
    }
}
