import FoundationEssentials

extension LoggedEvent {
    /// Puts a draft into its envelope: the attributes in the contract's order, then the data as it is.
    init(
        _ draft: EventDraft, source: String, time: Date, epoch: String, sequence: SequenceNumber,
        previous: SequenceNumber
    ) {
        let topic = draft.topic
        let attributes: [(name: String, value: String?)] = [
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
        ]
        self.init(topic: topic, sequence: sequence, body: Envelope.json(attributes, data: draft.data))
    }
}
