import CYAML
import Text

/// libyaml's event parser (`yaml_parser_t`) for one text. libyaml's structures must not move, so they are on the heap.
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
        /// Plain means written without quotes; then the text has no hidden signs at its ends, and began with `removedSign`.
        case scalar(String, isPlain: Bool, removedSign: Unicode.Scalar?)
        case beginSequence
        case beginMapping
        case end
        case alias
        case beginDocument
        case endOfText
    }

    /// An event, and what the file has before its content.
    struct Item {
        let event: Event
        let position: SourcePosition
        let hasAnchor: Bool
        let hasTag: Bool
    }

    /// Advances to the next event (`yaml_parser_parse`), or throws the syntax error that libyaml reports.
    mutating func next(in file: String) throws(ConfigurationDiagnostic) -> Item {
        while true {
            yaml_event_delete(event)
            guard yaml_parser_parse(parser, event) == 1 else { throw syntaxError(in: file) }
            let mark = event.pointee.start_mark
            let position = SourcePosition(file: file, line: mark.line + 1, column: mark.column + 1)
            if let (event, hasAnchor, hasTag) = current {
                return Item(event: event, position: position, hasAnchor: hasAnchor, hasTag: hasTag)
            }
        }
    }

    /// The current event; nil for one without content, such as the start of the stream.
    private var current: (event: Event, hasAnchor: Bool, hasTag: Bool)? {
        let data = event.pointee.data
        switch event.pointee.type {
        case YAML_DOCUMENT_START_EVENT: return (.beginDocument, false, false)
        case YAML_STREAM_END_EVENT: return (.endOfText, false, false)
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            let (text, isPlain) = (String(decoding: bytes, as: UTF8.self), data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
            let scalar = Event.scalar(
                isPlain ? text.trimmingHidden : text, isPlain: isPlain,
                removedSign: isPlain ? text.unicodeScalars.prefix(1).first(where: \.isHidden) : nil)
            return (scalar, data.scalar.anchor != nil, data.scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            return (.beginSequence, data.sequence_start.anchor != nil, data.sequence_start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            return (.beginMapping, data.mapping_start.anchor != nil, data.mapping_start.tag != nil)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return (.end, false, false)
        case YAML_ALIAS_EVENT: return (.alias, false, false)
        default: return nil
        }
    }

    /// Returns what libyaml's message means to the author of the file, with its position.
    private func syntaxError(in file: String) -> ConfigurationDiagnostic {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? ""
        let (text, isWhereItBegan) = Self.meaning(of: problem)
        guard state.error != YAML_READER_ERROR else {
            // For bytes that are not UTF-8, libyaml gives an offset and no mark.
            let before = String(decoding: input.prefix(state.problem_offset), as: UTF8.self).unicodeScalars
            let line = before.split(separator: "\n", omittingEmptySubsequences: false)
            return ConfigurationDiagnostic(
                at: SourcePosition(file: file, line: line.count, column: line[line.count - 1].count + 1), text)
        }
        let isTab = isTab(atLine: state.problem_mark.line, column: state.problem_mark.column)
        let mark = isWhereItBegan && !isTab && state.context != nil ? state.context_mark : state.problem_mark
        return ConfigurationDiagnostic(
            at: SourcePosition(file: file, line: mark.line + 1, column: mark.column + 1),
            isTab
                ? BilingualText("탭으로는 들여쓸 수 없습니다. 공백을 쓰세요", "a tab is no indentation in YAML; use spaces")
                : text)
    }

    /// Whether there is a tab at a place that libyaml complains of; both numbers begin at 0.
    private func isTab(atLine line: Int, column: Int) -> Bool {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(line) else { return false }
        return String(decoding: lines[line], as: UTF8.self).unicodeScalars.dropFirst(column).first == "\t"
    }

    /// Returns what a message of libyaml 0.2.5 means to an author, and whether to look where the thing begins, and not where
    /// its end was missed.
    private static func meaning(of problem: String) -> (text: BilingualText, isWhereItBegan: Bool) {
        func told(_ korean: String, _ english: String, whereItBegan: Bool = false) -> (BilingualText, Bool) {
            (BilingualText(korean, english), whereItBegan)
        }
        return switch problem {
        case "did not find expected ',' or ']'":
            told(
                "여기서 시작한 목록에 쉼표나 닫는 괄호 ]가 없습니다. 값 사이에 쉼표를 쓰고 목록을 닫으세요",
                "the list that begins here lacks a comma between two elements, or its ]", whereItBegan: true)
        case "did not find expected ',' or '}'":
            told(
                "여기서 시작한 매핑에 쉼표나 닫는 괄호 }가 없습니다. 키 사이에 쉼표를 쓰고 매핑을 닫으세요",
                "the mapping that begins here lacks a comma between two keys, or its }", whereItBegan: true)
        case "found unexpected end of stream", "found unexpected document indicator":
            told(
                "여기서 시작한 따옴표가 닫히지 않았습니다. 닫는 따옴표를 쓰세요", "the quotes that begin here are not closed",
                whereItBegan: true)
        case "could not find expected ':'":
            told(
                "키 뒤에 콜론과 공백이 없습니다. 'lead: true'처럼 쓰세요",
                "a key is followed by a colon and a blank, as in 'lead: true'", whereItBegan: true)
        case "mapping values are not allowed in this context":
            told(
                "여기에는 키를 쓸 수 없습니다. 키의 들여쓰기를 맞추고, 콜론과 공백이 들어간 텍스트는 따옴표로 묶으세요",
                "no key can begin here; indent keys alike, and put a text that contains ': ' into quotes")
        case "did not find expected key", "mapping keys are not allowed in this context":
            told(
                "키가 와야 할 자리입니다. 같은 매핑의 키는 들여쓰기를 맞추고, 긴 텍스트는 따옴표로 묶으세요",
                "expected a key; keys of one mapping are indented alike, and long texts are in quotes")
        case "did not find expected '-' indicator", "block sequence entries are not allowed in this context":
            told(
                "목록의 값이 와야 할 자리입니다. 값마다 줄을 바꾸고, 들여쓰기를 맞춰 '- ' 뒤에 쓰세요",
                "expected '- ' before each element of a list, on lines of their own and indented alike")
        case "did not find expected node content":
            told("값이 와야 할 자리입니다. 값을 쓰거나 괄호를 닫으세요", "expected a value, or the bracket that closes a list or a mapping")
        case "found character that cannot start any token":
            told(
                "텍스트가 특수 문자로 시작합니다. 텍스트를 따옴표로 묶으세요", "a text that begins with this character has to be in quotes")
        case "found unknown escape character", "did not find expected hexdecimal number",
            "found invalid Unicode character escape code":
            told(
                #"큰따옴표 안의 역슬래시(\)는 이스케이프 문자입니다. 역슬래시를 두 번(\\) 쓰거나 작은따옴표로 묶으세요"#,
                #"in double quotes \ begins an escape sequence; write \\, or use apostrophes"#)
        case "control characters are not allowed":
            told("여기에 제어 문자가 있습니다. 지우세요", "the file contains a control character here")
        case _ where problem.contains("UTF-8") || problem == "invalid Unicode character":
            told("파일이 UTF-8 형식이 아닙니다. UTF-8로 저장하세요", "the file is not in UTF-8")
        default:
            told("규칙 파일의 형식(YAML)에 맞지 않습니다. 원문: \(problem)", "this is not YAML as a rule file uses it")
        }
    }
}
