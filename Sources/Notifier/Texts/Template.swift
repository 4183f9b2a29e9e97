import BoxOffice

/// A sentence with gaps, which an alert's figures fill.
///
/// `{name}` is a figure, with commas between thousands; `{name:words}` counts it as its language does (천만, 10 million);
/// `{name:이/가}` appends the particle that its last sound wants, and `{이/가}` alone appends it to what stands before,
/// quotes and brackets aside; `{name:place/places}` appends the word for one or for many. A part in square brackets
/// stands only if all its figures are known: `[, 하루 관객 {audience}명]`; of `[one|other]` the first such. A backslash
/// takes a bracket for itself.
struct Template: Hashable, Sendable {
    /// What is appended to a figure, or done to it.
    enum Form: Hashable, Sendable {
        case plain
        case words
        case particle(KoreanParticle)
        case counted(one: String, many: String)
    }

    /// A piece of the sentence.
    indirect enum Part: Hashable, Sendable {
        case text(String)
        case figure(String, Form)
        case particle(KoreanParticle)
        case choice([[Part]])
    }

    let language: Language
    let parts: [Part]

    /// The names of the figures that it needs, in their order.
    var names: [String] { Self.names(in: parts) }

    private static func names(in parts: [Part]) -> [String] {
        parts.flatMap { part -> [String] in
            switch part {
            case .text, .particle: []
            case .figure(let name, _): [name]
            case .choice(let choices): choices.flatMap(names)
            }
        }
    }

    /// The sentence; outside of brackets, a figure that is not known leaves nothing in its place.
    func text(_ figure: (String) -> TemplateValue) -> String {
        var text = ""
        for part in parts { write(part, figure, &text) }
        return text
    }

    /// Appends a part; returns whether all its figures are known.
    @discardableResult
    private func write(_ part: Part, _ figure: (String) -> TemplateValue, _ text: inout String) -> Bool {
        switch part {
        case .text(let words):
            text += words
        case .particle(let particle):
            text += particle.following(text)
        case .figure(let name, let form):
            let value = figure(name)
            guard let shown = show(value, form) else { return false }
            text += shown
        case .choice(let choices):
            for choice in choices {
                var attempt = text
                if write(choice, figure, &attempt) {
                    text = attempt
                    break
                }
            }
        }
        return true
    }

    /// Appends parts, up to the first of which a figure is not known; returns whether there is none such.
    private func write(_ parts: [Part], _ figure: (String) -> TemplateValue, _ text: inout String) -> Bool {
        for part in parts {
            guard write(part, figure, &text) else { return false }
        }
        return true
    }

    private func show(_ value: TemplateValue, _ form: Form) -> String? {
        let plain: String
        switch value {
        case .null: return nil
        case .integer(let number): plain = form == .words ? LocalizedNumber.words(number, in: language) : number.grouped
        case .percent(let percent): plain = "\(percent)"
        case .amount(let amount): plain = "\(amount)"
        case .text(let words): plain = words
        }
        switch form {
        case .plain, .words: return plain
        case .particle(let particle): return particle.after(plain)
        case .counted(let one, let many): return "\(plain) \(value == .integer(1) ? one : many)"
        }
    }
}
