import BoxOffice
public import FoundationEssentials

extension Request {
    /// Understands a request, or says which part of it is at fault.
    ///
    /// `now` decides which day is yesterday. Unknown fields are ignored.
    public init(_ frames: RequestFrames, at now: Date) throws(Failure) {
        guard let topic = RequestTopic(text: frames.topic) else {
            throw Failure(
                .badRequest, "no request is called \(frames.topic.prefix(40).debugDescription)", field: "topic")
        }
        let fields = try RequestFields(frames.body, topic: topic)
        let id = try fields.requestID()
        guard let priority = Priority(rawValue: fields.priority ?? Priority.live.rawValue) else {
            throw Failure(.badRequest, "priority is live or backfill", field: "priority")
        }
        let target: Target
        switch topic {
        case .fetchDay:
            target = .day(try fields.day(at: now), try fields.market())
        case .fetchWeek:
            target = .week(try fields.week(at: now), try fields.market())
        case .fetchMovie:
            target = .movie(try fields.movieCode(), poster: fields.poster ?? true)
        case .fetchProducts, .fetchProduct:
            throw Failure(.badRequest, "\(topic.rawValue) is not built yet", field: "topic")
        }
        self.init(target, id: id, refresh: fields.refresh ?? false, priority: priority)
    }

    /// The id in a body that may be unreadable otherwise, so that even its refusal can be told apart.
    public static func id(in frames: RequestFrames) -> RequestID? {
        struct Identified: Decodable { let id: String? }
        // Whatever makes the body unreadable is reported by `init`; here it only means that there is no id.
        let identified = try? JSONDecoder().decode(Identified.self, from: Data(frames.body.utf8))
        return identified?.id.flatMap { RequestID($0) }
    }

    /// The request's fields, which read back the same at any later time: its day is a date, never `yesterday`.
    public var fields: RequestFields {
        var fields = RequestFields()
        fields.id = id?.description
        fields.refresh = refresh ? true : nil
        fields.priority = priority == .live ? nil : priority.rawValue
        switch target {
        case .day(let date, let market):
            fields.date = date.description
            fields.filter(by: market)
        case .week(let week, let market):
            // The first week begins before the first day that can be asked for.
            fields.date = max(week.firstDay, .firstChart).description
            fields.span = week.span.rawValue
            fields.filter(by: market)
        case .movie(let code, let poster):
            fields.code = code.description
            fields.poster = poster ? nil : false
        }
        return fields
    }

    /// The request as the two frames that ask for it.
    public var frames: RequestFrames {
        RequestFrames(topic: topic.rawValue, body: String(decoding: JSON.certain(fields), as: UTF8.self))
    }
}
