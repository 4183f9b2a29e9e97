extension Event {
    /// The data as the JSON that came, for whoever hands it on and need not read it; nil where the envelope is not one
    /// of ours, in which `data` stands last.
    public var dataJSON: [UInt8]? {
        // Inside a text, quotes are escaped: the first place that looks like the attribute is the attribute.
        guard let name = body.firstRange(of: Array(",\"data\":".utf8)), body.last == UInt8(ascii: "}") else {
            return nil
        }
        return Array(body[name.upperBound...].dropLast())
    }
}
