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
        entries.table([
            .left { $0.at.date.koreanText }, .left { $0.sink }, .left { $0.outcome.text(in: language) },
            .right { $0.milliseconds.map { language("\($0)밀리초", "\($0) ms") } ?? "" }, .left { $0.messageKey },
            .left { Self.text(ofResponse: $0.response ?? "", in: language) },
        ])
    }

    /// Returns a sink's response: our own, of files and standard output, in the language, and others as they came.
    static func text(ofResponse response: String, in language: Language = .current) -> String {
        if response == "written" { return language("출력 완료", response) }
        if let match = response.wholeMatch(of: /cannot (?:open|write) (.+): .+/) {
            return language("\(match.1): 파일에 쓸 수 없습니다. 경로, 쓰기 권한, 디스크 공간을 확인하세요", response)
        }
        guard let match = response.wholeMatch(of: /(\d+) bytes written/) else { return response }
        return language("\(match.1)바이트 저장", response)
    }
}

struct DeadLetterText {
    let letters: [DeliveryLog.Dead]
    var language = Language.current

    var lines: [String] {
        letters.table([
            .left { $0.at.date.koreanText }, .left { $0.sink },
            .left { $0.messageKey == $0.alert ? $0.messageKey : "\($0.messageKey): \($0.alert)" },
            .right { language("\($0.attempts)회 시도", "\($0.attempts) attempts") },
            .left { DeliveryText.text(ofResponse: $0.response ?? "", in: language) },
        ])
    }
}

/// The text of the sinks of a rule file: where each is, what it gets, and when.
struct SinkText {
    let file: RuleFile
    var language = Language.current

    /// The column heads and a line for each sink.
    var lines: [String] {
        file.sinks.table([
            .left(language("채널", "SINK")) { $0.name },
            .left(language("종류", "KIND")) { $0.kind },
            .left(language("주소", "ADDRESS")) { $0.address(in: language) },
            .left(language("언어", "LANGUAGE")) { $0.languageCode },
            .left(language("중요도", "SEVERITY")) { $0.lowestSeverity(in: language) },
            .left(language("발송 시점", "SCHEDULE")) { $0.schedule(in: language) ?? language("즉시", "at once") },
            .left(language("규칙", "RULES"), cell: rules),
        ])
    }

    private func rules(of sink: ConfiguredSink) -> String {
        let rules = sink.rules(among: file.rules)
        if rules == file.rules.names { return language("전체", "all") }
        return rules.isEmpty ? language("없음", "none") : rules.map(\.rawValue).joined(separator: ", ")
    }
}

extension DeliveryLog.Outcome {
    /// The name of the outcome, in red if it is not good; in English its word in JSON.
    fileprivate func text(in language: Language) -> String {
        let korean =
            switch self {
            case .sent: "발송"
            case .failed: "실패"
            case .dead: "최종 실패"
            case .retracted: "취소"
            case .suppressed: "생략"
            case .unanswered: "응답 없음"
            }
        let isGood = [.sent, .suppressed, .retracted].contains(self)
        return TerminalColor.red.paint(language(korean, rawValue), if: !isGood)
    }
}
