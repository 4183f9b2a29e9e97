import BoxOffice
import Contract
import OpenMarket
import Text
import WebServer

/// Writes title, description and what other sites show of a link into the page, for each of its addresses.
///
/// Addresses and posters are written only where the board's public URL is known, because both must be absolute.
struct PageWriter: Sendable {
    private let template: [UInt8]
    private let model: ReadModel
    private let answers: SharedResponses
    private let publicURL: String?

    /// The line of `index.html` that the head of a page replaces.
    static let placeholder = Array("<title>marquee</title>".utf8)

    init(_ files: StaticFiles, model: ReadModel, answers: SharedResponses, publicURL: String?) {
        template = files["index.html"]?.content.bytes ?? []
        self.model = model
        self.answers = answers
        self.publicURL = publicURL
    }

    /// Returns the page at a path below the base path, which begins with one of `BoardRouter.places`.
    func response(to request: WebRequest, path: Substring) async throws -> WebResponse {
        let subject = PageSubject(path: path)
        return try await answers.response(
            to: request, "page/\(subject.path)/\(request.query.isEmpty)", contentType: "text/html;charset=UTF-8"
        ) { [self] in
            // With a query the address of the page is not the one that its path names.
            let url = request.query.isEmpty ? publicURL.map { "\($0)/\(subject.path)" } : nil
            let head = html(try await model.head(of: subject), url: url)
            return template.replacing(Self.placeholder, with: Array(head.utf8))
        }
    }

    /// The most bytes of a title or a description; what is longer nobody shows.
    private static let longestText = 600

    private func html(_ head: PageHead, url: String?) -> String {
        // In bytes: a vendor decides how many of them are one character.
        let (title, description) = (
            head.title.prefix(bytes: Self.longestText), head.description.prefix(bytes: Self.longestText)
        )
        var properties = [
            ("og:site_name", "marquee"), ("og:type", "website"), ("og:locale", "ko_KR"), ("og:title", title),
            ("og:description", description),
        ]
        if let url { properties.append(("og:url", url)) }
        if let publicURL, let poster = head.poster {
            properties.append(("og:image", "\(publicURL)/api/v1/posters/\(poster)?size=large"))
        }
        let lines = [
            "<title>\(title.escapedForHTML) · marquee</title>",
            "<meta name=\"description\" content=\"\(description.escapedForHTML)\">",
        ]
        return (lines + properties.map { "<meta property=\"\($0)\" content=\"\($1.escapedForHTML)\">" })
            .joined(separator: "\n  ")
    }
}

/// What a page is about, as its path says.
enum PageSubject: Hashable, Sendable {
    case day(KoreanDate)
    case week(Week)
    case movie(MovieCode)
    case product(ProductID)
    /// The first page, one without an entry of its own, or one whose address is wrong; with the first part of the path.
    case other(String)

    /// Reads a path below the base path.
    init(path: Substring) {
        let parts = path.parts(between: "/")
        let place = String(parts.first ?? "")
        let word = parts.dropFirst().first ?? ""
        self =
            switch place {
            case "day": KoreanDate(word).map(Self.day) ?? .other(place)
            case "weekend", "week", "weekdays":
                if let day = KoreanDate(word), let span = Week.Span(rawValue: place) {
                    .week(Week(of: day, span: span))
                } else {
                    .other(place)
                }
            case "movie": MovieCode(word).map(Self.movie) ?? .other(place)
            case "shop": ProductID(word).map(Self.product) ?? .other(place)
            default: .other(place)
            }
    }

    var path: String {
        switch self {
        case .day(let day): "day/\(day)"
        case .week(let week): "\(week.span.rawValue)/\(week.firstDay)"
        case .movie(let code): "movie/\(code)"
        case .product(let id): "shop/\(id)"
        case .other(let place): place
        }
    }
}

/// Title and description of a page in Korean, and its poster as `CODE/VERSION`.
struct PageHead: Sendable {
    var title: String
    var description: String
    var poster: String?
}
