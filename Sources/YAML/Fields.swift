/// The values of a mapping, by their keys.
public struct Fields: Sendable {
    let node: Node
    let entries: [Node.Entry]

    /// The value of a key; nil if the key is not there.
    public subscript(key: String) -> Node? {
        entries.first { $0.key == key }?.value
    }

    /// The value of a key that has to be there.
    public func required(_ key: String) throws(ConfigurationDiagnostic) -> Node {
        guard let value = self[key] else { throw node.mistake("\(key) is missing") }
        return value
    }
}
