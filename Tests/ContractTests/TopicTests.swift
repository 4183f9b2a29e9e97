import BoxOffice
import Contract
import Testing

@Suite struct TopicTests {
    static let topics: [(text: String, stream: Stream, type: String, subject: String)] = [
        ("ranking.day.all.2022-01-05", .ranking, "marquee.ranking.day.v1", "all/2022-01-05"),
        (
            "ranking.day.nation-K+films-diverse+area-0105001.2022-01-05", .ranking, "marquee.ranking.day.v1",
            "nation-K+films-diverse+area-0105001/2022-01-05"
        ),
        (
            "ranking.week.all.weekend.2022-01-07", .ranking, "marquee.ranking.week.v1", "all/weekend/2022-01-07"
        ),
        (
            "ranking.week.nation-F.week.2022-01-03", .ranking, "marquee.ranking.week.v1", "nation-F/week/2022-01-03"
        ),
        ("movie.2022B512", .movie, "marquee.movie.v1", "2022B512"),
        ("poster.20234675", .poster, "marquee.poster.v1", "20234675"),
        ("request.accepted.1", .request, "marquee.request.accepted.v1", "1"),
        ("request.done.a.b..c.", .request, "marquee.request.done.v1", "a.b..c."),
        ("request.failed..%_'\"\\", .request, "marquee.request.failed.v1", ".%_'\"\\"),
        ("alert.rose.20234675.2024-06-04", .alert, "marquee.alert.v1", "20234675/2024-06-04"),
        ("alert.ruleOfALaterVersion.7.2024-06-04", .alert, "marquee.alert.v1", "7/2024-06-04"),
        ("alert.anomaly.late.2024-06-04", .alert, "marquee.alert.v1", "late/2024-06-04"),
        ("anomaly.shrunk.2024-06-04", .anomaly, "marquee.anomaly.v1", "shrunk/2024-06-04"),
    ]

    @Test("a client may subscribe to each prefix of a topic and of a heartbeat, and to no other text")
    func prefixes() {
        let longest = "request.accepted." + String(repeating: "~", count: 128)
        for text in Self.topics.map(\.text) + ["heartbeat.worker", longest] {
            let bytes = Array(text.utf8)
            for count in 0...bytes.count { #expect(Topic.canBegin(with: Array(bytes.prefix(count))), "\(text)") }
        }
        let padding = String(repeating: "1", count: 160)
        for text in [
            "x", "Movie.", "movies", "movie.1 ", "movie.\u{7f}", "movie.\u{e9}", "fetch.day", "movie." + padding,
        ] {
            #expect(!Topic.canBegin(with: Array(text.utf8)), "\(text)")
        }
    }

    @Test("a topic reads back from its text and has its stream, type and subject", arguments: topics)
    func known(_ text: String, _ stream: Stream, _ type: String, _ subject: String) throws {
        let topic = try #require(Topic(text))
        #expect(topic.description == text)
        #expect(topic.stream == stream)
        #expect(topic.type == type)
        #expect(topic.subject == subject)
    }

    @Test("topics made of parts and topics read from text are the same")
    func parts() throws {
        let code = try #require(MovieCode("20234675"))
        let date = try #require(KoreanDate("2024-06-04"))
        let id = try #require(RequestID("a.b"))
        #expect(Topic("ranking.day.all.2024-06-04") == .ranking(day: date, market: .all))
        #expect(Topic("movie.20234675") == .movie(code))
        #expect(Topic("request.done.a.b") == .request(.done, id))
        #expect(Topic("alert.lead.20234675.2024-06-04") == .alert("lead", about: AlertSubject(code), date))
    }

    @Test(
        "other texts are not topics",
        arguments: [
            "", ".", "ranking", "ranking.day", "ranking.day.all.20220105", "ranking.day.all.2022-02-30",
            "ranking.day.all.2022-01-05.", "ranking.week.all.2022-01-05",
            "ranking.week.all.weekend.2022-01-05", "ranking.week.all.month.2022-01-01",
            "ranking.day.area-1.2022-01-05",
            "ranking.day.nation-\u{212a}.2022-01-05", "movie.2022b512", "movie.20234675 ", "Movie.20234675",
            "request.done.", "request.done", "request.lost.1", "request.done.a b", "request.done.é",
            "request.done.\n", "alert.Flew.20234675.2024-06-04", "alert.flew.x.2024-06-04",
            "anomaly.strange.2024-06-04", "heartbeat.worker",
        ])
    func unknown(_ text: String) {
        #expect(Topic(text) == nil)
    }

    @Test("a request's id has 1 to 128 printable ASCII characters and no blanks")
    func requestIDs() {
        #expect(RequestID("") == nil)
        #expect(RequestID(String(repeating: "x", count: 128)) != nil)
        #expect(RequestID(String(repeating: "x", count: 129)) == nil)
        for byte in UInt8.min...0x7f {
            #expect((RequestID(String(UnicodeScalar(byte))) != nil) == (0x21...0x7e).contains(byte))
        }
        #expect(RequestID("파묘") == nil)
    }

    @Test("a sequence number has sixteen digits, whose texts sort in the order of numbers")
    func sequenceNumbers() throws {
        let numbers = try [0, 1, 9, 10, 42, 9_999_999_999_999_999].map { try #require(SequenceNumber($0)) }
        #expect(numbers[4].description == "0000000000000042")
        #expect(numbers.map(\.description) == numbers.map(\.description).sorted())
        #expect(numbers == numbers.sorted())
        for number in numbers { #expect(SequenceNumber(number.description) == number) }
        for text in ["", "42", "+000000000000042", "00000000000000042", "000000000000004٢"] {
            #expect(SequenceNumber(text) == nil)
        }
        #expect(SequenceNumber(10_000_000_000_000_000) == nil)
    }
}
