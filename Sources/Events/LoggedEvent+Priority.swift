extension LoggedEvent {
    /// The priority of the request that led to it, as its envelope says.
    ///
    /// Found without reading the data, which comes last and may be long.
    public var priority: Request.Priority {
        // Inside a text, quotes are escaped: the first place that looks like the data's name is its name.
        let end = body.firstRange(of: Self.data)?.lowerBound ?? body.endIndex
        return body[..<end].firstRange(of: Self.backfill) == nil ? .live : .backfill
    }

    private static let data = Array(#","data":"#.utf8)
    private static let backfill = Array(#","priority":"backfill""#.utf8)
}
