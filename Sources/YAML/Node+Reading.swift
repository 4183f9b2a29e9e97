extension Node {
    /// The most bytes that a document may have.
    public static let largestText = 256 << 10
    /// How many lists and mappings may stand inside each other.
    public static let greatestDepth = 16

    /// Reads a document; nil if the text has none, as when all of it is comments.
    ///
    /// What could surprise is refused: a second document, a key that stands twice, aliases with the anchors they need
    /// (a few lines of them make billions of nodes), tags, and texts that are too large or too deep.
    public static func read(_ text: [UInt8], file: String) throws(ConfigurationDiagnostic) -> Node? {
        guard text.count <= largestText else {
            throw ConfigurationDiagnostic(
                at: SourcePosition(file: file, line: 1, column: 1), "larger than \(largestText >> 10) KiB")
        }
        var reader = DocumentReader(parser: Parser(text), file: file)
        return try reader.document()
    }
}

/// Makes nodes of a parser's events.
private struct DocumentReader: ~Copyable {
    var parser: Parser
    let file: String

    mutating func document() throws(ConfigurationDiagnostic) -> Node? {
        guard case .beginDocument = try parser.next(in: file).event else { return nil }
        let (event, place) = try parser.next(in: file)
        let node = try node(event, at: place, path: "", depth: 0)
        let (rest, end) = try parser.next(in: file)
        guard case .endOfText = rest else {
            throw ConfigurationDiagnostic(at: end, "a second document begins here; a file has one")
        }
        return node
    }

    private mutating func node(
        _ event: Parser.Event, at place: SourcePosition, path: String, depth: Int
    ) throws(ConfigurationDiagnostic) -> Node {
        guard depth <= Node.greatestDepth else {
            throw ConfigurationDiagnostic(at: place, path: path, "nested deeper than \(Node.greatestDepth) levels")
        }
        switch event {
        case .scalar(let scalar):
            try refuse(scalar.properties, at: place, path)
            return Node(place: place, path: path, content: .scalar(scalar.text, isPlain: scalar.isPlain))
        case .beginSequence(let properties):
            try refuse(properties, at: place, path)
            return Node(place: place, path: path, content: .sequence(try nodes(path, depth)))
        case .beginMapping(let properties):
            try refuse(properties, at: place, path)
            return Node(place: place, path: path, content: .mapping(try entries(path, depth)))
        case .alias, .end, .beginDocument, .endOfText:
            throw ConfigurationDiagnostic(at: place, path: path, "aliases (*name) are not read; write the value out")
        }
    }

    private func refuse(_ properties: Parser.Properties, at place: SourcePosition, _ path: String)
        throws(ConfigurationDiagnostic)
    {
        if properties.hasAnchor {
            throw ConfigurationDiagnostic(at: place, path: path, "anchors (&name) are not read; write the value out")
        }
        if properties.hasTag {
            throw ConfigurationDiagnostic(at: place, path: path, "tags (!name) are not read; leave it out")
        }
    }

    private mutating func nodes(_ path: String, _ depth: Int) throws(ConfigurationDiagnostic) -> [Node] {
        var nodes: [Node] = []
        while true {
            let (event, place) = try parser.next(in: file)
            if case .end = event { return nodes }
            nodes.append(try node(event, at: place, path: "\(path)[\(nodes.count)]", depth: depth + 1))
        }
    }

    private mutating func entries(_ path: String, _ depth: Int) throws(ConfigurationDiagnostic) -> [Node.Entry] {
        var entries: [Node.Entry] = []
        var lines: [String: Int] = [:]
        while true {
            let (event, place) = try parser.next(in: file)
            if case .end = event { return entries }
            guard case .scalar(let scalar) = event else {
                throw ConfigurationDiagnostic(
                    at: place, path: path, "a key is a text, not a list, a mapping or an alias")
            }
            try refuse(scalar.properties, at: place, path)
            let key = scalar.text
            let path = path.isEmpty ? key : "\(path).\(key)"
            if let line = lines.updateValue(place.line, forKey: key) {
                throw ConfigurationDiagnostic(at: place, path: path, "stands here a second time, after line \(line)")
            }
            let (value, valuePlace) = try parser.next(in: file)
            let node = try node(value, at: valuePlace, path: path, depth: depth + 1)
            entries.append(Node.Entry(key: key, place: place, value: node))
        }
    }
}
