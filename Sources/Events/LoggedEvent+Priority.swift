extension LoggedEvent {
    /// The priority of the request that led to it, as its envelope says.
    ///
    /// Found without reading the data, which comes last and may be long.
    public var priority: Request.Priority {
        let end = Envelope.dataName(in: body)?.lowerBound ?? body.endIndex
        return body[..<end].firstRange(of: Self.backfill) == nil ? .live : .backfill
    }

    private static let backfill = Array(#","priority":"backfill""#.utf8)
}
