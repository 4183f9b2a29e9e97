import Text

extension Node {
    /// The largest document that is read, in bytes.
    public static let maximumSize = 256 << 10
    /// How deep lists and mappings may be nested.
    public static let maximumDepth = 16

    /// Reads a document in UTF-8; returns nil if the text holds none, for example only comments.
    ///
    /// `diagnostics` receives what is refused: several documents, duplicate keys, anchors and aliases, tags. What is thrown,
    /// such as a syntax error, ends the reading.
    public static func read(
        _ text: [UInt8], file: String, _ diagnostics: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) -> Node? {
        let start = SourcePosition(file: file, line: 1, column: 1)
        guard text.count <= maximumSize else {
            throw ConfigurationDiagnostic(
                at: start, "파일이 너무 큽니다. \(maximumSize >> 10) KiB 이하로 줄이세요",
                "the file is larger than \(maximumSize >> 10) KiB")
        }
        guard !text.isUTF16 else {
            throw ConfigurationDiagnostic(
                at: start, "파일이 UTF-16으로 저장되어 있습니다. UTF-8로 저장하세요", "the file is in UTF-16; save it in UTF-8")
        }
        var reader = DocumentReader(parser: Parser(Array(text.dropFirst(text.hasByteOrderMark ? 3 : 0))), file: file)
        defer { diagnostics.add(reader.diagnostics) }
        return try reader.document()
    }
}

private struct DocumentReader: ~Copyable {
    var parser: Parser
    let file: String
    var diagnostics = ConfigurationDiagnosticsError()

    mutating func document() throws(ConfigurationDiagnostic) -> Node? {
        guard case .beginDocument = try parser.next(in: file).event else { return nil }
        let node = try node(try parser.next(in: file), path: "", depth: 0)
        let rest = try parser.next(in: file)
        if case .endOfText = rest.event { return node }
        refuse(
            at: rest.position, "", "여기서 두 번째 문서가 시작됩니다. 한 파일에는 문서를 하나만 쓰세요",
            "a second document begins here; a file may hold only one")
        return node
    }

    private mutating func node(
        _ item: Parser.Item, path: String, depth: Int
    ) throws(ConfigurationDiagnostic) -> Node {
        guard depth <= Node.maximumDepth else {
            throw ConfigurationDiagnostic(
                at: item.position, path: path, "너무 깊은 단계입니다. \(Node.maximumDepth)단계 이하로 줄이세요",
                "nested deeper than \(Node.maximumDepth) levels")
        }
        refuseProperties(of: item, path)
        let content: Node.Content
        switch item.event {
        case .scalar(let text, let isPlain, _): content = .scalar(text, isPlain: isPlain)
        case .beginSequence: content = .sequence(try nodes(path, depth))
        case .beginMapping: content = .mapping(try entries(path, depth))
        case .alias, .end, .beginDocument, .endOfText:
            refuse(
                at: item.position, path, "별칭(*이름)은 지원하지 않습니다. 값을 직접 쓰세요",
                "aliases (*name) are not supported; write the value out")
            content = .scalar("", isPlain: true)
        }
        return Node(position: item.position, path: path, content: content)
    }

    /// Refuses anchors, because a few lines of aliases can stand for billions of nodes, and tags.
    private mutating func refuseProperties(of item: Parser.Item, _ path: String) {
        if item.hasAnchor {
            refuse(
                at: item.position, path, "앵커(&이름)는 지원하지 않습니다. 값을 직접 쓰세요",
                "anchors (&name) are not supported; write the value out")
        }
        if item.hasTag {
            refuse(at: item.position, path, "태그(!이름)는 지원하지 않습니다. 지우세요", "tags (!name) are not supported; remove it")
        }
    }

    private mutating func refuse(at position: SourcePosition, _ path: String, _ korean: String, _ english: String) {
        diagnostics.add(ConfigurationDiagnostic(at: position, path: path, korean, english))
    }

    private mutating func nodes(_ path: String, _ depth: Int) throws(ConfigurationDiagnostic) -> [Node] {
        var nodes: [Node] = []
        while true {
            let item = try parser.next(in: file)
            if case .end = item.event { return nodes }
            nodes.append(try node(item, path: "\(path)[\(nodes.count)]", depth: depth + 1))
        }
    }

    private mutating func entries(_ path: String, _ depth: Int) throws(ConfigurationDiagnostic) -> [Node.Entry] {
        var entries: [Node.Entry] = []
        var lines: [String: Int] = [:]
        while true {
            let item = try parser.next(in: file)
            let position = item.position
            if case .end = item.event { return entries }
            guard case .scalar(let key, _, let removedSign) = item.event else {
                throw ConfigurationDiagnostic(
                    at: position, path: path, "키는 텍스트여야 합니다. 목록, 매핑, 별칭은 키로 쓸 수 없습니다",
                    "a key must be text, not a list, a mapping or an alias")
            }
            if let name = removedSign?.hiddenName {
                throw ConfigurationDiagnostic(
                    at: position, path: path,
                    "키 앞에 보이지 않는 문자가 있습니다(\(name.text(in: .ko))). 일반 공백으로 들여쓰세요",
                    "\(name) stands before the key; indent with usual blanks")
            }
            refuseProperties(of: item, path)
            let path = path.isEmpty ? key : "\(path).\(key)"
            let firstLine = lines[key]
            if let firstLine {
                refuse(
                    at: position, path, "중복된 키입니다. \(firstLine)번째 줄에 이미 있으니 하나만 남기세요",
                    "duplicate key; it is already on line \(firstLine)")
            } else {
                lines[key] = position.line
            }
            let node = try node(try parser.next(in: file), path: path, depth: depth + 1)
            if firstLine == nil { entries.append(Node.Entry(key: key, position: position, value: node)) }
        }
    }
}
