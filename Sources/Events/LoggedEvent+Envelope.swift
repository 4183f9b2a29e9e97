import FoundationEssentials

extension LoggedEvent {
    /// Puts a draft into its envelope: the attributes in the contract's order, then the data as it is. `name` is its topic's.
    init(
        _ draft: EventDraft, named name: String, source: String, time: Date, epoch: String, sequence: SequenceNumber,
        previous: SequenceNumber
    ) {
        let topic = draft.topic
        let attributes: [(name: StaticString, value: String?)] = [
            ("specversion", Event.version),
            ("id", draft.id ?? "\(epoch)/\(topic.stream.rawValue)/\(sequence)"),
            ("source", source),
            ("type", topic.type),
            ("subject", topic.subject),
            ("time", Timestamp.text(time)),
            ("datacontenttype", "application/json"),
            ("stream", topic.stream.rawValue),
            ("epoch", epoch),
            ("sequence", sequence.description),
            ("previous", previous.description),
            ("correlationid", draft.correlationID?.description),
            ("priority", draft.priority == .live ? nil : draft.priority.rawValue),
        ]
        self.init(
            topic: topic, named: Array(name.utf8), sequence: sequence,
            body: Envelope.json(attributes, data: draft.data))
    }

    /// The same event in another epoch's envelope, or nil if it is not in the old one's.
    func moved(from old: String, to new: String) -> LoggedEvent? {
        // Inside a text, quotes are escaped: the first place that looks like the attribute is the attribute.
        let attribute = { (epoch: String) in Array("\"epoch\":\"\(epoch)\"".utf8) }
        guard let place = body.firstRange(of: attribute(old)) else { return nil }
        var body = body
        body.replaceSubrange(place, with: attribute(new))
        return LoggedEvent(topic: topic, sequence: sequence, body: body)
    }
}
