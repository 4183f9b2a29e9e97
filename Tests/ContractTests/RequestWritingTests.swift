import BoxOffice
import FoundationEssentials
import JSONCoding
import Testing

@testable import Contract

/// What is written by hand has the bytes that Foundation's encoder would write.
@Suite struct RequestWritingTests {
    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func expectSame(_ value: some JSONWritable, _ mirror: some Encodable) throws {
        #expect(String(decoding: value.json, as: UTF8.self) == (try foundation(mirror)))
    }

    @Test(
        "an accepted request is written as Foundation's encoder writes it",
        arguments: [
            ("fetch.day", #"{"date":"2024-06-04","id":"a\"\\/b","nation":"K","films":"diverse","area":"0105001"}"#),
            ("fetch.week", #"{"date":"20240604","span":"week","refresh":true,"priority":"backfill"}"#),
            ("fetch.movie", #"{"code":"2022B512","poster":false}"#), ("fetch.movie", "2022B512"), ("fetch.day", "{}"),
            ("fetch.products", #"{"page":2,"perPage":100,"id":"x"}"#),
        ])
    func accepted(_ topic: String, _ body: String) throws {
        let fields = RequestFields(of: RequestFrames(topic: topic, body: body))
        let mirror = EncodableFields(fields: fields)
        try expectSame(RequestAccepted(topic: topic, request: fields), Accepted(topic: topic, request: mirror))
        let error = ContractError(.badRequest, "no \"day\"", field: "a/b")
        try expectSame(
            RequestFailed(topic: topic, request: fields, error: error),
            Failed(topic: topic, request: mirror, error: error))
    }

    @Test("the outcome of a request is written as Foundation's encoder writes it")
    func done() throws {
        let day = try #require(KoreanDate("2024-06-04"))
        let answers = [Topic.ranking(day: day, market: .all), .weekRanking(Week(of: day, span: .week), market: .all)]
            .map {
                RequestDone.Answer(topic: $0.description, stream: $0.stream, sequence: .zero.advanced(by: 42))
            }
        let problem = ContractError(.upstreamTimeout, "no \"answer\" in time", field: "a/b", retryAfter: 3)
        for (answers, source, problems) in [
            (answers, RequestDone.Source.upstream, []), ([], .log, [problem, problem]),
        ] {
            let mirror = Done(
                topic: "fetch.day",
                events: answers.map { Answer(topic: $0.topic, stream: $0.stream, sequence: $0.sequence) },
                from: source, problems: problems)
            try expectSame(
                RequestDone(topic: "fetch.day", events: answers, from: source, problems: problems), mirror)
        }
    }

    @Test(
        "the fields of a request are read, and others are left out",
        arguments: [
            (
                #"{"date":"2024-06-04","id":"\u00e9\ud55c","span":null,"refresh":true,"poster":false,"more":[{"id":2}]}"#,
                #"{"date":"2024-06-04","id":"é한","poster":false,"refresh":true}"#
            ),
            (
                #"{ "code" : "2022B512" , "priority":"live","films":"","nation":"K","area":"1" }"#,
                #"{"area":"1","code":"2022B512","films":"","nation":"K","priority":"live"}"#
            ), ("{}", "{}"),
        ])
    func fields(_ body: String, _ written: String) throws {
        #expect(String(decoding: try FetchFields(body, topic: .fetchDay).json, as: UTF8.self) == written)
    }
}

// The same for Foundation's encoder.

private struct Accepted: Encodable {
    let topic: String
    let request: EncodableFields
}

private struct Failed: Encodable {
    let topic: String
    let request: EncodableFields
    let error: ContractError
}

private struct Done: Encodable {
    let topic: String
    let events: [Answer]
    let from: RequestDone.Source
    let problems: [ContractError]
}

private struct Answer: Encodable {
    let topic: String
    let stream: Contract.Stream
    let sequence: SequenceNumber
}

private struct EncodableFields: Encodable {
    let fields: RequestFields

    private enum Key: CodingKey {
        case id, date, span, nation, films, area, code, poster, refresh, priority
    }

    func encode(to encoder: any Encoder) throws {
        switch fields {
        case .product(let fields): try fields.encode(to: encoder)
        case .fetch(let fields):
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(fields.id, forKey: .id)
            try container.encodeIfPresent(fields.date, forKey: .date)
            try container.encodeIfPresent(fields.span, forKey: .span)
            try container.encodeIfPresent(fields.nation, forKey: .nation)
            try container.encodeIfPresent(fields.films, forKey: .films)
            try container.encodeIfPresent(fields.area, forKey: .area)
            try container.encodeIfPresent(fields.code, forKey: .code)
            try container.encodeIfPresent(fields.poster, forKey: .poster)
            try container.encodeIfPresent(fields.refresh, forKey: .refresh)
            try container.encodeIfPresent(fields.priority, forKey: .priority)
        }
    }
}
