import Text

/// A syntax error in the words of an author, by libyaml's message.
struct SyntaxMistake {
    /// The messages of libyaml 0.2.5 for it.
    private let problems: Set<String>
    /// Whether the author has to look where the thing begins, and not where its end was missed.
    let isWhereItBegan: Bool
    /// What is wrong, and what to write.
    let text: BilingualText

    private init(_ problems: Set<String>, isWhereItBegan: Bool = false, _ korean: String, _ english: String) {
        self.problems = problems
        self.isWhereItBegan = isWhereItBegan
        text = BilingualText(korean, english)
    }

    /// Finds the mistake that libyaml's message means.
    init(_ problem: String) {
        let other = SyntaxMistake(
            [], "규칙 파일의 형식(YAML)에 맞지 않습니다. 원문: \(problem)", "this is not YAML as a rule file uses it")
        self = Self.known.first { $0.problems.contains(problem) } ?? other
    }

    private static let known = [
        SyntaxMistake(
            ["did not find expected ',' or ']'"], isWhereItBegan: true,
            "여기서 시작한 목록에 쉼표나 닫는 괄호 ]가 없습니다. 값 사이에 쉼표를 쓰고 목록을 닫으세요",
            "the list that begins here lacks a comma between two elements, or its ]"),
        SyntaxMistake(
            ["did not find expected ',' or '}'"], isWhereItBegan: true,
            "여기서 시작한 매핑에 쉼표나 닫는 괄호 }가 없습니다. 키 사이에 쉼표를 쓰고 매핑을 닫으세요",
            "the mapping that begins here lacks a comma between two keys, or its }"),
        SyntaxMistake(
            ["found unexpected end of stream", "found unexpected document indicator"], isWhereItBegan: true,
            "여기서 시작한 따옴표가 닫히지 않았습니다. 닫는 따옴표를 쓰세요", "the quotes that begin here are not closed"),
        SyntaxMistake(
            ["could not find expected ':'"], isWhereItBegan: true,
            "키 뒤에 콜론과 공백이 없습니다. 'lead: true'처럼 쓰세요",
            "a key is followed by a colon and a blank, as in 'lead: true'"),
        SyntaxMistake(
            ["mapping values are not allowed in this context"],
            "여기에는 키를 쓸 수 없습니다. 키의 들여쓰기를 맞추고, 콜론과 공백이 들어간 텍스트는 따옴표로 묶으세요",
            "no key can begin here; indent keys alike, and put a text that contains ': ' into quotes"),
        SyntaxMistake(
            ["did not find expected key", "mapping keys are not allowed in this context"],
            "키가 와야 할 자리입니다. 같은 매핑의 키는 들여쓰기를 맞추고, 긴 텍스트는 따옴표로 묶으세요",
            "expected a key; keys of one mapping are indented alike, and long texts are in quotes"),
        SyntaxMistake(
            ["did not find expected '-' indicator", "block sequence entries are not allowed in this context"],
            "목록의 값이 와야 할 자리입니다. 값마다 줄을 바꾸고, 들여쓰기를 맞춰 '- ' 뒤에 쓰세요",
            "expected '- ' before each element of a list, on lines of their own and indented alike"),
        SyntaxMistake(
            ["did not find expected node content"],
            "값이 와야 할 자리입니다. 값을 쓰거나 괄호를 닫으세요", "expected a value, or the bracket that closes a list or a mapping"),
        SyntaxMistake(
            ["found character that cannot start any token"],
            "텍스트가 특수 문자로 시작합니다. 텍스트를 따옴표로 묶으세요",
            "a text that begins with this character has to be in quotes"),
        SyntaxMistake(
            [
                "found unknown escape character", "did not find expected hexdecimal number",
                "found invalid Unicode character escape code",
            ],
            #"큰따옴표 안의 역슬래시(\)는 이스케이프 문자입니다. 역슬래시를 두 번(\\) 쓰거나 작은따옴표로 묶으세요"#,
            #"in double quotes \ begins an escape sequence; write \\, or use apostrophes"#),
        SyntaxMistake(
            [
                "invalid leading UTF-8 octet", "incomplete UTF-8 octet sequence", "invalid trailing UTF-8 octet",
                "invalid length of a UTF-8 sequence", "invalid Unicode character",
            ], "파일이 UTF-8 형식이 아닙니다. UTF-8로 저장하세요", "the file is not in UTF-8"),
        SyntaxMistake(
            ["control characters are not allowed"], "여기에 제어 문자가 있습니다. 지우세요",
            "the file contains a control character here"),
    ]
}
