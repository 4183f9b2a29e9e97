import BoxOffice
import FoundationEssentials
import Testing

@testable import Contract

/// Requests as outsiders write them (contract, section 2).
@Suite struct RequestTests {
    /// 2024-06-05 00:30 in Korea: yesterday is 2024-06-04 there, and 2024-06-03 in London.
    let now = Date(timeIntervalSince1970: 1_717_515_000)

    func request(_ topic: String, _ body: String) throws -> Request {
        try Request(RequestFrames(topic: topic, body: body), at: now)
    }

    func refusal(_ topic: String, _ body: String) -> ContractError? {
        do throws(ContractError) {
            _ = try Request(RequestFrames(topic: topic, body: body), at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a day is requested in an object or bare, with or without hyphens, or as yesterday",
        arguments: [
            #"{"date":"2024-06-04"}"#, #"{"date":"20240604"}"#, #"{"date":"yesterday"}"#, "2024-06-04", "20240604",
            "yesterday", " 2024-06-04\n", #"  {"date": "2024-06-04", "unknown": [1, {"a": null}]}"#,
        ])
    func day(_ body: String) throws {
        let date = try #require(KoreanDate("2024-06-04"))
        #expect(try request("fetch.day", body) == Request(.day(date, .all)))
        #expect(try request("fetch day", body) == Request(.day(date, .all)))
    }

    @Test("filters, id, refresh and priority are read")
    func allFields() throws {
        let body = """
            {"date":"2003-11-11","nation":"K","films":"diverse","area":"0105001","id":"a~1","refresh":true,
             "priority":"backfill"}
            """
        let area = try #require(Market.Area("0105001"))
        let expected = Request(
            .day(.firstChart, Market(nation: .korean, films: .diverse, area: area)), id: RequestID("a~1"),
            refresh: true, priority: .backfill)
        #expect(try request("fetch.day", body) == expected)
    }

    @Test("a week is requested by any of its days; the default span is the weekend")
    func week() throws {
        let date = try #require(KoreanDate("2024-06-01"))
        #expect(try request("fetch.week", "2024-05-27") == Request(.week(Week(of: date, span: .weekend), .all)))
        #expect(
            try request("fetch week", #"{"date":"20240602","span":"weekdays","films":"diverse"}"#)
                == Request(.week(Week(of: date, span: .weekdays), Market(films: .diverse))))
        // The first day with a chart is a Tuesday.
        let first = try request("fetch.week", #"{"date":"2003-11-11","span":"week"}"#)
        #expect(try Request(first.frames, at: now) == first)
    }

    @Test("a movie is requested by its code, in an object or bare, with its poster by default")
    func movie() throws {
        let code = try #require(MovieCode("2022B512"))
        #expect(try request("fetch.movie", "2022B512") == Request(.movie(code, poster: true)))
        #expect(try request("fetch.movie", #"{"code":"2022B512"}"#) == Request(.movie(code, poster: true)))
        #expect(
            try request("fetch.movie", #"{"code":"2022B512","poster":false}"#) == Request(.movie(code, poster: false)))
    }

    @Test(
        "an invalid request is a bad request that names the invalid part",
        arguments: [
            ("fetch.day", "", "date"), ("fetch.day", "{}", "date"), ("fetch.day", "tomorrow", "date"),
            ("fetch.day", #"{"date":20240604}"#, "date"), ("fetch.day", "2024-02-30", "date"),
            ("fetch.day", "2024-6-4", "date"), ("fetch.day", "２０２４０６０４", "date"),
            ("fetch.day", #"{"date":null}"#, "date"), ("fetch.day", #"{"date":"2024-06-04""#, "body"),
            ("fetch.day", #"{"date":"2024-06-04"} x"#, "body"),
            ("fetch.day", "\u{FEFF}{}", "date"), ("fetch.day", "[\"2024-06-04\"]", "date"),
            ("fetch.day", "{\u{301}}", "date"), ("fetch.day", "\u{0}", "date"), ("fetch.day", "{\u{0}}", "body"),
            ("fetch.day", #"{"date":"2024-06-04\u0000"}"#, "date"), ("fetch.day", #"{"date":"\ud800"}"#, "date"),
            ("fetch.day", #"{"date":["2024-06-04"]}"#, "date"), ("fetch.day", #"{"date":1e999}"#, "date"),
            ("fetch.day", #"{"date":"2024-06-04","refresh":1}"#, "refresh"),
            ("fetch.day", #"{"date":"2024-06-04","id":{"a":"b"}}"#, "id"),
            ("fetch.day", #"{"x":"# + String(repeating: "[", count: 60_000), "body"),
            ("fetch.day", String(repeating: #"{"date":"#, count: 8_000), "body"),
            ("fetch.day", #"{"date":"2024-06-04","nation":"k"}"#, "nation"),
            ("fetch.day", #"{"date":"2024-06-04","films":"art"}"#, "films"),
            ("fetch.day", #"{"date":"2024-06-04","area":"all.ranking"}"#, "area"),
            ("fetch.day", #"{"date":"2024-06-04","refresh":"yes"}"#, "refresh"),
            ("fetch.day", #"{"date":"2024-06-04","priority":"now"}"#, "priority"),
            ("fetch.day", #"{"date":"2024-06-04","id":"two words"}"#, "id"),
            ("fetch.day", #"{"date":"2024-06-04","id":""}"#, "id"),
            ("fetch.day", #"{"date":"2024-06-04","id":"한글"}"#, "id"),
            ("fetch.movie", "", "code"), ("fetch.movie", "2024467", "code"), ("fetch.movie", "2022b512", "code"),
            ("fetch.movie", "2023467.", "code"), ("fetch.week", "", "date"),
            ("fetch.week", #"{"date":"2024-06-04","span":"month"}"#, "span"),
            ("fetch.week", #"{"date":"2024-06-04","area":"seoul"}"#, "area"),
            ("fetch.people", "1", "topic"),
            ("", "", "topic"),
        ])
    func badRequest(_ topic: String, _ body: String, _ field: String) throws {
        let failure = try #require(refusal(topic, body))
        #expect(failure.code == .badRequest)
        #expect(failure.field == field)
    }

    @Test(
        "unknown fields are ignored, whatever their values are",
        arguments: [
            #"{"date":"2024-06-04","page":-1e400,"x":{"date":[null,{}]},"":0}"#,
            #"{"date":"2024-06-04","Date":"2024-06-03","x":123456789012345678901234567890}"#,
            "\u{2028}\r\n\t {\"date\" : \"2024-06-04\"}\n",
        ])
    func unknownFields(_ body: String) throws {
        #expect(try request("fetch.day", body) == Request(.day(try #require(KoreanDate("2024-06-04")), .all)))
    }

    @Test(
        "a day that cannot have a chart in Korea's calendar is out of range",
        arguments: ["2003-11-10", "2024-06-05", "9999-12-31"])
    func range(_ date: String) throws {
        #expect(try #require(refusal("fetch.day", date)).code == .dateOutOfRange)
        #expect(try #require(refusal("fetch.week", date)).code == .dateOutOfRange)
        #expect(refusal("fetch.day", "2024-06-04") == nil)
    }

    @Test("a request reads back from its own frames, at any later time")
    func roundTrip() throws {
        let asked = try request("fetch.day", #"{"date":"yesterday","nation":"F","id":"q\"1\\"}"#)
        let later = try Request(asked.frames, at: now.addingTimeInterval(90 * 86_400))
        #expect(later == asked)
    }

    @Test("the id is read even if the rest of the request is invalid")
    func idOfARefusal() {
        let id = Request.id(in: RequestFrames(topic: "fetch.day", body: #"{"date":7,"id":"mine"}"#))
        #expect(id == RequestID("mine"))
        #expect(Request.id(in: RequestFrames(topic: "fetch.day", body: "mine")) == nil)
    }

    @Test("a topic of megabytes is rejected by its bytes, and is no topic", arguments: ["fetch day", " ", "x\u{301}"])
    func longTopic(_ beginning: String) {
        let topic = beginning + String(repeating: "\u{301}", count: 1_000_000)
        let error = #expect(throws: ContractError.self) { try RequestFrames([Array(topic.utf8), []]) }
        #expect(error?.field == "topic")
        #expect(error.map { $0.message.utf8.count < 200 } == true)
        #expect(RequestTopic(text: topic) == nil)
    }

    @Test("invalid frames are rejected with the reason")
    func frames() throws {
        let topic = Array("fetch.day".utf8)
        let day = Array("2024-06-04".utf8)
        #expect(try RequestFrames([topic, day]) == RequestFrames(topic: "fetch.day", body: "2024-06-04"))
        #expect(try RequestFrames([topic, [0xEF, 0xBB, 0xBF] + day]).body == "2024-06-04")
        for bad in [
            [topic, day, []], [[0xFF, 0xFE], day], [topic, [0xC3]], [topic, [UInt8](repeating: 0x20, count: 65_537)],
        ] {
            #expect(throws: ContractError.self) { try RequestFrames(bad) }
        }
        #expect(try RequestFrames([topic, [UInt8](repeating: 0x20, count: 65_536)]).body.count == 65_536)
    }
}
