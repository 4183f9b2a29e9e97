import Contract

/// What is handed to a sink at once: one alert, or all those of a digest.
struct SinkMessage: Sendable {
    /// The same however often the letter is sent: the alert's id, or the digest's own.
    let key: String
    /// The alerts, in their order; at least one.
    let alerts: [OutboundAlert]

    /// The letter in one line.
    func title(in language: Language) -> String {
        guard alerts.count > 1 else { return alerts.first?.text[language] ?? "" }
        return language == .ko ? "박스오피스 소식 \(alerts.count)건" : "Box office: \(alerts.count) alerts"
    }

    /// The letter in words: the alert's own, or a line for each; as many as have a `size` within `limit`.
    func text(
        in language: Language, limit: Int, size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        guard alerts.count > 1 else { return Self.cut(title(in: language), to: limit, size) }
        var text = title(in: language)
        for (index, alert) in alerts.enumerated() {
            let left = alerts.count - index
            let rest = language == .ko ? "\n외 \(left)건" : "\nand \(left) more"
            let line = "\n· \(alert.text[language])"
            guard size(text) + size(line) + size(rest) <= limit else { return Self.cut(text + rest, to: limit, size) }
            text += line
        }
        return text
    }

    private static func cut(_ text: String, to limit: Int, _ size: (String) -> Int) -> String {
        guard size(text) > limit else { return text }
        var text = text
        while !text.isEmpty, size(text) > limit - size("…") { text.removeLast() }
        return text + "…"
    }
}

extension Alert.Text {
    /// The words in a language.
    subscript(language: Language) -> String {
        switch language {
        case .ko: ko
        case .en: en
        }
    }
}
