import BoxOffice
import FoundationEssentials

/// The fields of a request's body as they stand there, read but not yet checked.
public struct RequestFields: Hashable, Sendable, Codable {
    var id: String?
    var date: String?
    var span: String?
    var nation: String?
    var films: String?
    var area: String?
    var code: String?
    var poster: Bool?
    var refresh: Bool?
    var priority: String?

    /// Makes fields that are all left out.
    init() {}

    /// Reads a JSON object, or a bare value that stands for the topic's one needed field.
    init(_ body: String, topic: RequestTopic) throws(Failure) {
        let text = body.trimmingPrefix(while: \.isWhitespace)
        guard text.first == "{" else {
            let bare = String(text.reversed().trimmingPrefix(while: \.isWhitespace).reversed())
            switch topic {
            case .fetchDay, .fetchWeek: date = bare.isEmpty ? nil : bare
            case .fetchMovie: code = bare.isEmpty ? nil : bare
            case .fetchProducts, .fetchProduct: break
            }
            return
        }
        do {
            self = try JSONDecoder().decode(RequestFields.self, from: Data(text.utf8))
        } catch let DecodingError.typeMismatch(_, context) {
            let field = context.codingPath.first?.stringValue
            throw Failure(.badRequest, "the body's \(field ?? "value") has the wrong type", field: field)
        } catch {
            throw Failure(.badRequest, "the body is no JSON object", field: "body")
        }
    }

    /// Fills in the filters that select `market`.
    mutating func filter(by market: Market) {
        nation = market.nation?.rawValue
        films = market.films?.rawValue
        area = market.area?.description
    }

    /// Reads as much as can be read of a request that was refused, to say what was asked.
    public init(of frames: RequestFrames) {
        let topic = RequestTopic(text: frames.topic)
        // What cannot be read is left out: the refusal beside it says why.
        self = topic.flatMap { try? RequestFields(frames.body, topic: $0) } ?? RequestFields()
    }
}
