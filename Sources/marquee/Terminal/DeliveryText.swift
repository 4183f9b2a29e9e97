import Contract
import FoundationEssentials
import Notifier
import Text

/// The text of the log of deliveries: a line for each attempt or end of a delivery.
struct DeliveryText {
    let entries: [DeliveryLog.Entry]
    var language = Language.current

    /// A line for each entry; an outcome that is not good is red.
    var lines: [String] {
        var table = TextTable([.left, .left, .left, .right, .left, .left])
        for entry in entries {
            table.add(
                [
                    entry.at.date.koreanText, entry.sink, entry.outcome.name(in: language),
                    entry.milliseconds.map { language("\($0)밀리초", "\($0) ms") } ?? "",
                    entry.letter, Self.text(ofAnswer: entry.answer ?? "", in: language),
                ], paint: [.sent, .spared, .withdrawn].contains(entry.outcome) ? [:] : [2: TerminalColor.red.paint])
        }
        return table.lines
    }

    /// Returns a sink's answer: our own, of files and standard output, in the language, and others as they came.
    static func text(ofAnswer answer: String, in language: Language = .current) -> String {
        if answer == "written" { return language("출력 완료", answer) }
        if let match = answer.wholeMatch(of: /cannot (?:open|write) (.+): .+/) {
            return language("\(match.1): 파일에 쓸 수 없습니다. 경로, 쓰기 권한, 디스크 공간을 확인하세요", answer)
        }
        guard let match = answer.wholeMatch(of: /(\d+) bytes written/) else { return answer }
        return language("\(match.1)바이트 저장", answer)
    }
}

struct DeadLetterText {
    let letters: [DeliveryLog.Dead]
    var language = Language.current

    var lines: [String] {
        var table = TextTable([.left, .left, .left, .right, .left])
        for letter in letters {
            let key = letter.letter == letter.alert ? letter.letter : "\(letter.letter): \(letter.alert)"
            table.add([
                letter.at.date.koreanText, letter.sink, key,
                language("\(letter.attempts)회 시도", "\(letter.attempts) attempts"),
                DeliveryText.text(ofAnswer: letter.answer ?? "", in: language),
            ])
        }
        return table.lines
    }
}

/// The text of the sinks of a rule file: where each is, what it gets, and when.
struct SinkText {
    let file: RuleFile
    var language = Language.current

    /// The column heads and a line for each sink.
    var lines: [String] {
        var table = TextTable([.left, .left, .left, .left, .left, .left, .left])
        let headings = [
            ("채널", "SINK"), ("종류", "KIND"), ("주소", "ADDRESS"), ("언어", "LANGUAGE"), ("중요도", "SEVERITY"),
            ("발송 시점", "SCHEDULE"), ("규칙", "RULES"),
        ]
        table.add(headings.map { language($0, $1) })
        for sink in file.sinks {
            let rules = sink.rules(among: file.rules)
            let words =
                rules == file.rules.names ? language("전체", "all") : rules.map(\.rawValue).joined(separator: ", ")
            table.add([
                sink.name, sink.kind, sink.address(in: language), sink.languageCode, sink.lowestSeverity(in: language),
                sink.schedule(in: language) ?? language("즉시", "at once"),
                rules.isEmpty ? language("없음", "none") : words,
            ])
        }
        return table.lines
    }
}

extension DeliveryLog.Outcome {
    /// The name of the outcome; in English its word in JSON.
    fileprivate func name(in language: Language) -> String {
        guard language == .ko else { return rawValue }
        return switch self {
        case .sent: "발송"
        case .failed: "실패"
        case .dead: "최종 실패"
        case .withdrawn: "취소"
        case .spared: "생략"
        case .unanswered: "응답 없음"
        }
    }
}
