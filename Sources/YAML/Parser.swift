import CYAML
import Text

/// libyaml's event parser (`yaml_parser_t`) for one text.
///
/// libyaml's structures must not move, so they are on the heap; `deinit` frees them.
///
/// YAML's surprises are refused: anchors, tags, second documents. The reader decides what a text means: `no` stays a word.
struct Parser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    init(_ text: [UInt8]) {
        parser = .allocate(capacity: 1)
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        input = .allocate(capacity: text.count + 1)  // an empty allocation may have no address
        _ = input.initialize(from: text)
        precondition(yaml_parser_initialize(parser) == 1, "yaml_parser_initialize: out of memory")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, text.count)
    }

    deinit {
        yaml_event_delete(event)
        yaml_parser_delete(parser)
        event.deallocate()
        parser.deallocate()
        input.deallocate()
    }

    /// An event of the parser; its text is copied from libyaml's memory.
    enum Event {
        case scalar(Scalar)
        case beginSequence(Properties)
        case beginMapping(Properties)
        case end
        case alias
        case beginDocument
        case endOfText
    }

    /// A scalar; plain means written without quotes, and then it has no hidden signs at its ends.
    struct Scalar {
        let text: String
        let isPlain: Bool
        /// The hidden sign that a plain scalar began with.
        let removedSign: Unicode.Scalar?
        let properties: Properties
    }

    /// What the file has before a node.
    struct Properties {
        let hasAnchor: Bool
        let hasTag: Bool
    }

    /// Advances to the next event (`yaml_parser_parse`); returns it with its position.
    ///
    /// - Throws: the syntax error that libyaml reports.
    mutating func next(in file: String) throws(ConfigurationDiagnostic) -> (event: Event, position: SourcePosition) {
        while true {
            yaml_event_delete(event)
            guard yaml_parser_parse(parser, event) == 1 else { throw syntaxError(in: file) }
            let mark = event.pointee.start_mark
            let position = SourcePosition(file: file, line: mark.line + 1, column: mark.column + 1)
            if let current { return (current, position) }
        }
    }

    /// The current event; nil for one without content, such as the start of the stream.
    private var current: Event? {
        let data = event.pointee.data
        switch event.pointee.type {
        case YAML_DOCUMENT_START_EVENT: return .beginDocument
        case YAML_STREAM_END_EVENT: return .endOfText
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            let (text, isPlain) = (String(decoding: bytes, as: UTF8.self), data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
            return .scalar(
                Scalar(
                    text: isPlain ? text.trimmingHidden : text, isPlain: isPlain,
                    removedSign: isPlain ? text.unicodeScalars.prefix(1).first(where: \.isHidden) : nil,
                    properties: Properties(hasAnchor: data.scalar.anchor != nil, hasTag: data.scalar.tag != nil)))
        case YAML_SEQUENCE_START_EVENT:
            let start = data.sequence_start
            return .beginSequence(Properties(hasAnchor: start.anchor != nil, hasTag: start.tag != nil))
        case YAML_MAPPING_START_EVENT:
            let start = data.mapping_start
            return .beginMapping(Properties(hasAnchor: start.anchor != nil, hasTag: start.tag != nil))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .end
        case YAML_ALIAS_EVENT: return .alias
        default: return nil
        }
    }

    /// Returns what libyaml's message means to the author of the file, with its position.
    private func syntaxError(in file: String) -> ConfigurationDiagnostic {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? ""
        let mistake = SyntaxMistake(problem)
        guard state.error != YAML_READER_ERROR else {
            // For bytes that are not UTF-8, libyaml gives an offset and no mark.
            let before = String(decoding: input.prefix(state.problem_offset), as: UTF8.self).unicodeScalars
            let line = before.split(separator: "\n", omittingEmptySubsequences: false)
            return ConfigurationDiagnostic(
                at: SourcePosition(file: file, line: line.count, column: line[line.count - 1].count + 1),
                mistake.text)
        }
        let isTab = isTab(atLine: state.problem_mark.line, column: state.problem_mark.column)
        let mark = mistake.isWhereItBegan && !isTab && state.context != nil ? state.context_mark : state.problem_mark
        return ConfigurationDiagnostic(
            at: SourcePosition(file: file, line: mark.line + 1, column: mark.column + 1),
            isTab
                ? BilingualText("탭으로는 들여쓸 수 없습니다. 공백을 쓰세요", "a tab is no indentation in YAML; use spaces")
                : mistake.text)
    }

    /// Whether there is a tab at a place that libyaml complains of; both numbers begin at 0.
    private func isTab(atLine line: Int, column: Int) -> Bool {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(line) else { return false }
        return String(decoding: lines[line], as: UTF8.self).unicodeScalars.dropFirst(column).first == "\t"
    }
}
