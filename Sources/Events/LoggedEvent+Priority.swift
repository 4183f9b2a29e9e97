extension LoggedEvent {
    /// The priority of the request that led to it, as its envelope says.
    ///
    /// Found without reading the data, which may be long: of the attributes it is the last.
    public var priority: Request.Priority {
        let end = Envelope.dataName(in: body)?.lowerBound ?? body.endIndex
        return body[..<end].suffix(Self.backfill.count).elementsEqual(Self.backfill) ? .backfill : .live
    }

    private static let backfill = Array(#","priority":"backfill""#.utf8)
}
