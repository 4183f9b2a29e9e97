import BoxOffice
import Contract
import JSONCoding
import OpenMarket
import Storage
import Text

/// What is said of a page outside it: in a tab, a list of results or a chat.
extension ReadModel {
    /// How many movies of a chart its description names.
    private static let named = 3

    func head(of subject: PageSubject) async throws -> PageHead {
        switch subject {
        case .day(let day): try await chartHead("\(day.inWords) 일별", span: Self.daySpan, firstDay: day)
        case .week(let week):
            try await chartHead(
                "\(week.inWords) \(week.span.name(in: .ko))", span: week.span.rawValue, firstDay: week.firstDay)
        case .movie(let code): try await movieHead(code)
        case .product(let id): try await productHead(id)
        case .other("history"): PageHead(title: "흥행 추이", description: "한국 박스오피스의 순위 추이와 주간·일별 관객수")
        case .other("alerts"): PageHead(title: "알림", description: "1위 교체, 누적 관객 돌파 등 한국 박스오피스의 변화")
        case .other("shop"): PageHead(title: "스토어", description: "오픈마켓 상품")
        case .other("operations"): PageHead(title: "운영", description: "수집 서버와 알림 서버의 상태")
        case .other: PageHead(title: "한국 박스오피스", description: "한국 영화관의 일별·주말·주간 박스오피스 순위와 관객수")
        }
    }

    private func chartHead(_ name: String, span: String, firstDay: KoreanDate) async throws -> PageHead {
        try await database.read { connection in
            let data = try connection.query(
                "select data from chart where market = ? and span = ? and first_day = ?", Market.all.description, span,
                firstDay.description, as: [UInt8].self
            ).first
            let movies = try data.map { try JSON.decode(ChartHeadline.self, from: $0).entries.prefix(Self.named) } ?? []
            let titles = movies.map { movie in
                "\(movie.rank.map { "\($0)위 " } ?? "")〈\(movie.title)〉\(movie.audience.map { " \($0.grouped)명" } ?? "")"
            }
            return PageHead(
                title: "\(name) 박스오피스",
                description: titles.isEmpty ? "영화진흥위원회 집계 박스오피스 순위와 관객수" : titles.joined(separator: ", "),
                poster: try movies.first.flatMap { try poster(of: $0.movieCode.description, in: connection) })
        }
    }

    private func movieHead(_ code: MovieCode) async throws -> PageHead {
        try await database.read { connection in
            let data = try connection.query(
                "select data from movie where code = ?", code.description, as: [UInt8].self
            ).first
            let newest = try connection.query(
                """
                select day, title, audience_total from line
                where code = ? and market = ? order by day desc limit 1
                """, code.description, Market.all.description, as: String.self, String.self, Int?.self
            ).first
            let title = try data.map { try JSON.decode(MovieHeadline.self, from: $0).title } ?? newest?.1
            let total = newest.flatMap { newest in
                newest.2.map { "누적관객수 \($0.grouped)명(\(newest.0) 기준)" }
            }
            return PageHead(
                title: title?.onOneLine ?? "영화 \(code)", description: total ?? "영화 정보와 흥행 추이",
                poster: try poster(of: code.description, in: connection))
        }
    }

    private func productHead(_ id: ProductID) async throws -> PageHead {
        let product = try await database.read { try storedProduct(id, in: $0)?.product }
        return PageHead(
            title: product?.name.onOneLine ?? "상품 \(id)",
            description: (product?.description ?? "오픈마켓 상품").onOneLine)
    }

    /// Returns a movie's poster as `CODE/VERSION`; nil if none is known.
    private func poster(of code: String, in connection: Connection) throws -> String? {
        let version = try posterVersion(of: code, in: connection) ?? nil
        return version.map { "\(code)/\($0)" }
    }
}

// Only what is shown is decoded.
private struct ChartHeadline: Decodable {
    struct Entry: Decodable {
        let rank: Int?
        let movieCode: MovieCode
        let title: String
        let audience: Int?
    }

    let entries: [Entry]
}

private struct MovieHeadline: Decodable {
    let title: String
}

// MARK: - Days in Korean

extension KoreanDate {
    /// The day as `2024년 6월 4일 화요일`.
    fileprivate var inWords: String {
        "\(year)년 \(month)월 \(day)일 \(Array("월화수목금토일")[weekday])요일"
    }
}

extension Week {
    /// The days as `2024년 6월 7일~9일`, with month and year again where they differ.
    fileprivate var inWords: String {
        let (first, last) = (firstDay, lastDay)
        let year = first.year == last.year ? "" : "\(last.year)년 "
        let month = first.month == last.month ? "" : "\(last.month)월 "
        return "\(first.year)년 \(first.month)월 \(first.day)일~\(year)\(month)\(last.day)일"
    }
}
