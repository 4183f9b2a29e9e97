import BoxOffice
import EventStoreTestSupport
import FoundationEssentials
import JSONCoding
import Storage
import TestSupport
import Testing

@testable import Contract
@testable import EventStore

@Suite(.patience) struct EnvelopeTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("an envelope has the contract's attributes in order, and the data unchanged")
    func bytes() async throws {
        let log = try await EventLogFixture(in: folder)
        try await log.append(draft("ranking.day.all.2022-01-04"), draft("ranking.day.all.2022-01-05"))
        let event = try await log.append(draft("ranking.day.all.2022-01-05", for: RequestID("client-7")))[0]
        let epoch = log.log.epoch
        #expect(
            String(decoding: event.body, as: UTF8.self) == """
                {"specversion":"1.0","id":"\(epoch)/ranking/0000000000000003","source":"/marquee/worker",\
                "type":"marquee.ranking.day.v1","subject":"all/2022-01-05","time":"2026-11-21T06:23:00.123Z",\
                "datacontenttype":"application/json","stream":"ranking","epoch":"\(epoch)",\
                "sequence":"0000000000000003","previous":"0000000000000002","correlationid":"client-7",\
                "data":{"about":"ranking.day.all.2022-01-05"}}
                """)
    }

    @Test(
        "the envelope reads back equal for any request id",
        arguments: ["1", #"a"b"#, #"back\slash"#, #"\""#, #"\u0041"#, "</script>", "{\"data\":1}", "~!@#$%^&*()_+"])
    func escapes(_ text: String) async throws {
        let log = try await EventLogFixture(in: folder)
        let id = try #require(RequestID(text))
        let logged = try await log.append(draft("request.done.\(text)", for: id))[0]
        let event = try Event(topic: logged.topic, body: logged.body)
        #expect(event.correlationID == id)
        #expect(event.subject == text)
        #expect(event.id == "\(log.log.epoch)/request/0000000000000001")
        #expect(event.source == "/marquee/worker")
        #expect(event.type == "marquee.request.done.v1")
        #expect(event.time == log.time)
        #expect(event.stream == .request)
        #expect(event.epoch == log.log.epoch)
        #expect(event.sequence.value == 1)
        #expect(event.previous == .zero)
        #expect(try event.data(as: [String: String].self) == ["about": "request.done.\(text)"])
    }

    @Test("an event's data is read both as the last member and before the attributes")
    func placeOfData() throws {
        let topic = try #require(Topic("movie.AAAAAAAA"))
        let attributes =
            #""specversion":"1.0","id":"1","source":"/x","type":"t","subject":"s","#
            + #""time":"2026-11-21T06:23:00.123Z","stream":"movie","epoch":"e","sequence":"0000000000000002","#
            + #""previous":"0000000000000001""#
        for body in ["{\(attributes),\"data\":{\"a\":\"b\"}}", "{\"data\":{\"a\":\"b\"},\(attributes)}"] {
            let event = try Event(topic: topic, body: Array(body.utf8))
            #expect(try event.data(as: [String: String].self) == ["a": "b"])
            #expect(event.sequence.value == 2)
        }
    }

    @Test("an event that a backfill caused has that priority in its envelope; a live one has none")
    func priority() async throws {
        let log = try await EventLogFixture(in: folder)
        let tricky = try #require(RequestID(#"","priority":"backfill"#))
        for priority in Request.Priority.allCases {
            let draft = try EventDraft(
                .request(.done, tricky), correlationID: tricky, priority: priority, encoding: ["priority": "backfill"])
            let logged = try await log.append(draft)[0]
            #expect(try logged.priority == priority)
            #expect(try Event(topic: logged.topic, body: logged.body).priority == priority)
            let text = String(decoding: logged.body, as: UTF8.self)
            #expect(text.contains(#"","priority":"backfill","data":{"#) == (priority == .backfill))
        }
    }

    @Test("the envelope has the draft's own id, and no correlation id if there is none")
    func ownID() async throws {
        let log = try await EventLogFixture(in: folder)
        let logged = try await log.append(draft("alert.rose.AAAAAAAA.2024-06-04", id: "rose \"파묘\"\n\u{1f}"))[0]
        let event = try Event(topic: logged.topic, body: logged.body)
        #expect(event.id == "rose \"파묘\"\n\u{1f}")
        #expect(event.correlationID == nil)
        #expect(!String(decoding: logged.body, as: UTF8.self).contains("correlationid"))
    }

    @Test("a chart goes through the log and comes out equal")
    func chart() async throws {
        let date = try #require(KoreanDate("2024-06-04"))
        let chart = Chart(date: date, market: .all, state: .provisional, entries: [])
        let log = try await EventLogFixture(in: folder)
        let logged = try await log.append(EventDraft(.ranking(day: date, market: .all), data: chart.json))[0]
        #expect(try Event(topic: logged.topic, body: logged.body).data() == chart)
    }

    @Test("unknown attributes are ignored, and known ones must be valid")
    func strange() throws {
        let topic = try #require(Topic("movie.AAAAAAAA"))
        let attributes = [
            "specversion": "1.0", "id": "1", "source": "/other", "type": "marquee.movie.v1", "subject": "AAAAAAAA",
            "time": "2026-11-21T06:23:00Z", "stream": "movie", "epoch": "e", "sequence": "0000000000000001",
            "previous": "0000000000000000", "data": "{}", "later": "new",
        ]
        let event = try Event(topic: topic, body: JSON.encode(attributes))
        #expect(event.time == Date(timeIntervalSince1970: 1_795_242_180))
        for (name, value) in [
            ("specversion", "0.3"), ("stream", "poster"), ("sequence", "1"), ("time", "yesterday"), ("id", nil),
            ("correlationid", "with blank"),
        ] {
            var wrong = attributes
            wrong[name] = value
            #expect(throws: DecodingError.self) { try Event(topic: topic, body: JSON.encode(wrong)) }
        }
        for body in ["", "{", "[]", "\u{0}"] {
            #expect(throws: DecodingError.self) { try Event(topic: topic, body: Array(body.utf8)) }
        }
    }

    @Test("an event reads equal from any form of its envelope, and an invalid attribute is rejected in every form")
    func otherSpelling() async throws {
        let log = try await EventLogFixture(in: folder)
        let logged = try await log.append(draft("movie.AAAAAAAA", for: RequestID("client-7")))[0]
        let ours = String(decoding: logged.body, as: UTF8.self)
        let event = try Event(topic: logged.topic, body: logged.body)
        for (one, other) in [
            ("{\"spec", "{ \"spec"), ("/marquee", "\\/marquee"), ("\"data\":", "\"later\":1,\"data\":"),
            ("client", "\\u0063lient"),
        ] {
            let same = try Event(topic: logged.topic, body: Array(ours.replacing(one, with: other).utf8))
            #expect(same.id == event.id && same.source == event.source && same.type == event.type)
            #expect(same.subject == event.subject && same.time == event.time && same.epoch == event.epoch)
            #expect(same.sequence == event.sequence && same.previous == event.previous)
            #expect(same.correlationID == event.correlationID && same.priority == event.priority)
        }
        for (right, wrong) in [
            ("\"1.0\"", "\"0.3\""), ("\"movie\"", "\"poster\""), ("00001\"", "1\""), ("2026-", "yesterday-"),
            ("client-7", "client 7"),
            ("\"id\"", "\"no\""), ("\"source\":\"", "\"source\":\"\n"), ("\"}}", "\"}"),
        ] {
            let body = Array(ours.replacing(right, with: wrong).utf8)
            #expect(throws: DecodingError.self) {
                try Event(topic: logged.topic, body: body).data(as: [String: String].self)
            }
        }
    }

    @Test("a time keeps its milliseconds and is rounded to them")
    func times() throws {
        for millisecond in stride(from: 1_795_242_180_000, to: 1_795_242_182_000, by: 1) {
            let instant = Date(timeIntervalSince1970: Double(millisecond) / 1000)
            let text = Timestamp.text(instant)
            let fraction = String(1000 + millisecond % 1000).dropFirst()
            #expect(text.hasSuffix(".\(fraction)Z"))
            #expect(Timestamp.instant(text) == instant)
        }
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1.9996)) == "1970-01-01T00:00:02.000Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1.0004)) == "1970-01-01T00:00:01.000Z")
    }

    @Test("positions are a JSON object by stream")
    func positions() throws {
        let positions: [Stream: SequenceNumber] = [.ranking: try #require(SequenceNumber(42))]
        #expect(try JSON.encode(positions) == Array(#"{"ranking":"0000000000000042"}"#.utf8))
    }
}
