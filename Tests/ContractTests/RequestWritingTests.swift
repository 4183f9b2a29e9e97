import BoxOffice
import FoundationEssentials
import JSONReading
import Testing

@testable import Contract

/// What is written by hand has the bytes that Foundation's encoder would write, and is read as Foundation's decoder would.
@Suite struct RequestWritingTests {
    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func expectSame(_ value: some Encodable & JSONWritable) throws {
        #expect(String(decoding: value.json, as: UTF8.self) == (try foundation(value)))
    }

    @Test(
        "what was asked",
        arguments: [
            ("fetch.day", #"{"date":"2024-06-04","id":"a\"\\/b","nation":"K","films":"diverse","area":"0105001"}"#),
            ("fetch.week", #"{"date":"20240604","span":"week","refresh":true,"priority":"backfill"}"#),
            ("fetch.movie", #"{"code":"2022B512","poster":false}"#), ("fetch.movie", "2022B512"), ("fetch.day", "{}"),
            ("fetch.products", #"{"page":2,"perPage":100,"id":"x"}"#),
        ])
    func accepted(_ topic: String, _ body: String) throws {
        let frames = RequestFrames(topic: topic, body: body)
        try expectSame(RequestAccepted(topic: topic, request: RequestFields(of: frames)))
    }

    @Test("how it ended")
    func done() throws {
        let day = try #require(KoreanDate("2024-06-04"))
        let answers = [Topic.ranking(day: day, market: .all), .weekRanking(Week(of: day, span: .week), market: .all)]
            .map {
                RequestDone.Answer(topic: $0.description, stream: $0.stream, sequence: .zero.advanced(by: 42))
            }
        let problem = ContractError(.upstreamTimeout, "no \"answer\" in time", field: "a/b", retryAfter: 3)
        try expectSame(RequestDone(topic: "fetch.day", events: answers, from: .upstream, problems: []))
        try expectSame(RequestDone(topic: "fetch.movie", events: [], from: .log, problems: [problem, problem]))
    }

    @Test(
        "the fields of a request",
        arguments: [
            #"{"date":"2024-06-04","id":"\u00e9\ud55c","span":null,"refresh":true,"poster":false,"more":[1,{"id":2}]}"#,
            #"{ "code" : "2022B512" , "priority":"live","films":"","nation":"K","area":"1" }"#, "{}",
        ])
    func fields(_ body: String) throws {
        let decoded = try JSONDecoder().decode(FetchFields.self, from: Data(body.utf8))
        #expect(try FetchFields(body, topic: .fetchDay) == decoded)
    }
}
