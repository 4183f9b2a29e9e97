extension Event {
    /// The data as the JSON that came, for whoever hands it on and need not read it; nil where the envelope is not one
    /// of ours, in which `data` stands last.
    public var dataJSON: [UInt8]? {
        guard let name = Envelope.dataName(in: body), body.last == UInt8(ascii: "}") else { return nil }
        return Array(body[name.upperBound...].dropLast())
    }
}
