/// JSON text, and where each value in it begins and ends.
final class JSONOutline: Sendable {
    /// What a value is, as its first byte tells.
    enum Kind: UInt8 {
        case object
        case array
        case text
        /// A text with a backslash in it.
        case escapedText
        case number
        case `true`
        case `false`
        case null
    }

    /// A value, or the name of an object's member, which stands before its value.
    struct Node {
        let kind: Kind
        /// Where it begins; quotes do not count.
        let start: UInt32
        /// Where it ends: the place of the first byte that is not part of it.
        var end: UInt32
        /// The place, in the outline, of the first node that is not inside this one.
        var next: UInt32
    }

    let bytes: [UInt8]
    /// All values in the order in which they begin, so that those inside another follow it.
    let nodes: [Node]

    /// Looks through a text, which must be JSON from its first byte to its last.
    init(_ bytes: [UInt8]) throws(DecodingError) {
        do throws(JSONScanner.Fault) {
            nodes = try bytes.withUnsafeBufferPointer { bytes throws(JSONScanner.Fault) in
                var scanner = JSONScanner(bytes)
                try scanner.scan()
                return scanner.nodes
            }
        } catch {
            throw .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
        }
        self.bytes = bytes
    }

    /// The bytes of a node, without quotes.
    func content(of node: Node) -> ArraySlice<UInt8> {
        bytes[Int(node.start)..<Int(node.end)]
    }

    /// The place of a member's value in the outline, or nil if the object has no member with this name.
    func member(_ name: String, of object: Int) -> Int? {
        var name = name
        // Lent once for the whole search: each access of its own would count a reference.
        return name.withUTF8 { name in
            nodes.withUnsafeBufferPointer { nodes in
                bytes.withUnsafeBufferPointer { bytes in
                    let end = Int(nodes[object].next)
                    var key = object + 1
                    while key < end {
                        if isName(nodes[key], name, in: bytes) { return key + 1 }
                        key = Int(nodes[key + 1].next)
                    }
                    return nil
                }
            }
        }
    }

    @inline(__always)
    private func isName(
        _ key: Node, _ name: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if key.kind == .escapedText { return isEscapedName(key, name) }
        let start = Int(key.start)
        // The length tells most names apart.
        guard Int(key.end) - start == name.count else { return false }
        for place in 0..<name.count where bytes[start + place] != name[place] { return false }
        return true
    }

    /// Apart: within the search, each call would make room for an error that nearly none has.
    @inline(never)
    private func isEscapedName(_ key: Node, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        (try? text(of: key))?.utf8.elementsEqual(name) ?? false  // what is no text is no name
    }
}
