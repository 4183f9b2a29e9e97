extension JSON {
    /// The JSON of a value of ours that always has one: text, numbers and flags, and lists and objects of them.
    public static func certain(_ value: some Encodable) -> [UInt8] {
        do throws(EncodingError) {
            return try encode(value)
        } catch {
            preconditionFailure("\(type(of: value)) has no JSON: \(error)")
        }
    }
}
