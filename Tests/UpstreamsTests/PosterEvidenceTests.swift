import BoxOffice
import FoundationEssentials
import TestSupport
import Testing

@testable import Upstreams

@Suite struct PosterEvidenceTests {
    private static let subject: PosterSubject = {
        var movie = Movie(code: Sample.code("20060001"), title: "괴물")
        movie.titleEnglish = "The Host"
        movie.productionYear = 2006
        movie.openDate = Sample.date("2006-07-27")
        movie.directors = [Movie.Director(name: "봉준호", nameEnglish: "BONG Joon-ho")]
        movie.actors = ["송강호", "변희봉", "박해일", "배두나", "고아성"].map { Movie.Actor(name: $0) }
        return PosterSubject(movie)
    }()

    private static func verdict(_ title: String, _ lines: String...) -> PosterEvidence.Verdict {
        PosterEvidence(of: PosterPage(title: title, lines: lines), about: subject).verdict
    }

    @Test("a page that names the year, the director or two actors is about the movie")
    func confirmed() {
        #expect(Self.verdict("괴물 (2006) 포스터") == .confirmed)
        #expect(Self.verdict("영화 '괴물', 2006년작") == .confirmed)
        #expect(Self.verdict("괴물 봤어요", "개봉 : 2006.07.27") == .confirmed)
        #expect(Self.verdict("한강에 나타난 괴물", "봉준호 감독의 신작") == .confirmed)
        #expect(Self.verdict("괴물 후기", "감독: Bong Joon-Ho") == .confirmed)
        #expect(Self.verdict("괴물 후기", "송강호와 배두나가 나온다") == .confirmed)
    }

    @Test("a page of another year or another director is about another movie")
    func others() {
        #expect(Self.verdict("괴물 (2023) 포스터", "봉준호 감독의 괴물과는 다른 영화") == .rejected(.otherYear))
        #expect(Self.verdict("괴물 2006, 2023 비교") == .rejected(.otherYear))
        #expect(Self.verdict("괴물 후기", "괴물 (2023)은 칸에서 상을 받았다") == .rejected(.otherYear))
        #expect(Self.verdict("괴물 후기", "감독 : 고레에다 히로카즈", "봉준호의 괴물과 다르다") == .rejected(.otherDirector))
        #expect(Self.verdict("괴물 후기", "감독", "고레에다 히로카즈") == .rejected(.otherDirector))
    }

    @Test("a page about several movies is about none, and a short line has a director's name")
    func faultsThatHeldOutFilmsShowed() {
        #expect(Self.verdict("괴물 두 편의 차이", "봉준호 감독, 송강호, 배두나") == .rejected(.unconfirmed))
        #expect(Self.verdict("괴물 11월 29일 개봉", "감독 고레에다 히로카즈") == .rejected(.otherDirector))
        #expect(Self.verdict("괴물 재개봉", "감독 봉준호") == .confirmed)
    }

    @Test("a page whose title does not name the movie, or a sequel, is about another one")
    func titles() {
        for title in ["2006년 여름 개봉작 모음", "괴물들이 사는 나라 (2006)", "괴물 2 (2006)", "괴물: 파트2", "괴물쥐 2006"] {
            #expect(Self.verdict(title, "봉준호") == .rejected(.otherTitle), "\(title)")
        }
    }

    @Test("a title alone shows little, and within a longer one nothing")
    func titleOnly() {
        #expect(Self.verdict("괴물 봤어요", "재미있었다") == .titleOnly)
        #expect(Self.verdict("[영화] 괴물", "The Host") == .titleOnly)
        #expect(Self.verdict("나의 괴물 이야기", "재미있었다") == .rejected(.unconfirmed))
        #expect(Self.verdict("나의 괴물 2006") == .rejected(.unconfirmed))
        #expect(Self.verdict("괴물 후기", "송강호가 나온다") == .titleOnly)
    }

    @Test("the comparisons say what the page has of each fact")
    func comparisons() {
        let page = PosterPage(title: "괴물 (2006) The Host", lines: ["감독 : 봉준호", "출연 : 송강호, 변희봉"])
        let evidence = PosterEvidence(of: page, about: Self.subject)
        #expect(
            evidence.compared.map { "\($0.property) \($0.result) \($0.found.joined(separator: ","))" } == [
                "title same 괴물", "titleEnglish same The Host", "year same 2006", "director same 봉준호",
                "actor same 송강호,변희봉",
            ])
    }

    @Test("a movie's own years are those from its production to its opening, but not those before a re-release")
    func years() {
        func years(_ made: Int?, _ opened: String?) -> [Int] {
            var movie = Movie(code: Sample.code("20060001"), title: "A")
            movie.productionYear = made
            movie.openDate = opened.map { (text: String) in Sample.date(text) }
            return PosterSubject(movie).years
        }
        #expect(years(2020, "2022-10-26") == [2020, 2021, 2022])
        #expect(years(1997, "2024-10-02") == [1997, 2024])
        #expect(years(nil, "2024-10-02") == [2024])
        #expect(years(2024, nil) == [2024])
        #expect(years(nil, nil).isEmpty)
        // As an earlier version has logged what a stranger sent.
        #expect(years(.min, "2024-10-02") == [2024])
        #expect(years(.max, nil).isEmpty)
    }

    @Test("of two films of one title each gets images of its own pages only", arguments: NamesakeFilms.all)
    func heldOut(namesakes: NamesakeFilms) {
        for (index, movie) in namesakes.films.enumerated() {
            let subject = PosterSubject(movie)
            var choice = PosterChoice(subject)
            choice.begin(subject.queries[0], [])
            let chosen = namesakes.pages.filter { page in
                choice.judge(ImageCandidate(imageURL: page.page.title, thumbnailURL: nil), page.page) != nil
            }
            #expect(!chosen.isEmpty, "\(movie.code)")
            for page in chosen { #expect(page.film == index, "\(movie.code): \(page.page.title)") }
            // Another film of the title is known then, and what names the title only is not used.
            #expect(choice.otherHits.isEmpty, "\(movie.code)")
        }
    }

    @Test("of the recorded hits, those that are wider than a poster or years older than the movie are not looked at")
    func recordedHits() throws {
        let body = try Recorded.data("kakao/image/movie-poster-80.json")
        let hits = try KakaoReply.read(Sample.response(String(decoding: body, as: UTF8.self)), at: Date()).value
        #expect(hits.count == 80 && hits.allSatisfy { $0.size != nil && $0.year != nil })
        var movie = Movie(code: Sample.code("20218541"), title: "밀수")
        movie.productionYear = 2023
        var choice = PosterChoice(PosterSubject(movie))
        choice.begin("밀수 2023 류승완 영화 포스터", hits)
        // 80 hits have 23 of a poster's form; three of these are years older.
        #expect(choice.candidates.count == 20)
    }
}

@Suite struct PosterPageTests {
    private static func page(_ html: String) -> PosterPage { PosterPage(html: Data(html.utf8)) }

    @Test("the title and the visible lines of a page are read, whatever its markup")
    func reading() {
        let page = Self.page(
            """
            <!DOCTYPE html><HTML><head><title> 괴물 &amp; 사람 : 블로그</title><meta property="og:title" content="괴물 &#40;2006&#41;">
            <style>p { color: red }</style><script>var title = "<p>아님</p>";</SCRIPT></head>
            <body><!-- <p>숨김</p> --><table><tr><td>감독</td><td><b>봉</b>준호</td></tr></table>a<br/>b &lt; c &unknown; &
            """)
        #expect(page.title == "괴물 (2006)")
        #expect(page.lines == ["감독", "봉준호", "a", "b < c &unknown; &"])
        #expect(Self.page("<title>괴물</title>").title == "괴물")
        #expect(Self.page("<p").lines.isEmpty && Self.page("<!-- ").lines.isEmpty && Self.page("").title.isEmpty)
    }

    @Test("hostile pages are read in linear time and to a limit", .patience)
    func hostile() {
        for part in ["<", "<!--", "<script>", "<meta property=", "&", "<a<b", "<title>"] {
            let page = Self.page(String(repeating: part, count: (1 << 17) / part.utf8.count))
            #expect(page.lines.joined().utf8.count <= PosterPage.textLimit + 2)
        }
        let long = Self.page("<title>괴물</title>" + String(repeating: "괴물 (2006) ", count: 10_000))
        // The limit may cut a letter, which becomes a replacement character.
        #expect(long.lines.joined().utf8.count <= PosterPage.textLimit + 2)
    }

    @Test("a blog in a frame is read at its page for phones")
    func frames() {
        #expect(WebAddress("http://blog.naver.com/a/1")?.readable.text == "http://m.blog.naver.com/a/1")
        #expect(WebAddress("https://a.tistory.com/1")?.readable.text == "https://a.tistory.com/1")
    }
}
