import Text

extension Template {
    /// Why a template cannot be read, in words.
    struct Problem: Error, Hashable {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Reads a template whose figures have some of `names`.
    init(_ text: String, in language: Language, names: [String]) throws(Problem) {
        var reader = TemplateReader(rest: Substring(text), names: names)
        parts = try reader.parts(until: [])
        self.language = language
    }

    /// A template of ours, which is right.
    init(standard text: String, in language: Language, names: [String]) {
        do throws(Problem) {
            try self.init(text, in: language, names: names)
        } catch {
            preconditionFailure("\(text): \(error.description)")
        }
    }
}

/// Reads the notation of templates, from left to right.
private struct TemplateReader {
    var rest: Substring
    let names: [String]

    /// The parts up to one of the `ends`, which stays, or up to the end of the text.
    mutating func parts(until ends: Set<Character>) throws(Template.Problem) -> [Template.Part] {
        var parts: [Template.Part] = []
        var text = ""
        func closed() -> [Template.Part] { text.isEmpty ? parts : parts + [.text(text)] }
        while let next = rest.first {
            if ends.contains(next) { return closed() }
            rest.removeFirst()
            switch next {
            case "\\":
                guard let literal = rest.popFirst() else { throw Template.Problem("a backslash ends the text") }
                text.append(literal)
            case "{":
                parts = closed() + [try gap()]
                text = ""
            case "[":
                parts = closed() + [try choice()]
                text = ""
            case "}", "]":
                throw Template.Problem("'\(next)' closes nothing; write \\\(next) for the sign itself")
            default:
                text.append(next)
            }
        }
        guard ends.isEmpty else { throw Template.Problem("a '[' is not closed") }
        return closed()
    }

    private mutating func choice() throws(Template.Problem) -> Template.Part {
        var choices: [[Template.Part]] = []
        repeat {
            choices.append(try parts(until: ["|", "]"]))
        } while rest.removeFirst() == "|"
        return .choice(choices)
    }

    private mutating func gap() throws(Template.Problem) -> Template.Part {
        guard let end = rest.firstIndex(of: "}") else { throw Template.Problem("a '{' is not closed") }
        let words = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        rest = rest[end...].dropFirst()
        let name = words[0]
        if words.count == 1, let particle = KoreanParticle(notation: name) { return .particle(particle) }
        guard names.contains(name) else {
            let hint = names.nearest(to: name).map { "; did you mean {\($0)}?" } ?? ""
            throw Template.Problem("{\(name)} is not known here\(hint)")
        }
        return .figure(name, words.count == 1 ? .plain : try form(words[1]))
    }

    private func form(_ word: String) throws(Template.Problem) -> Template.Form {
        if word == "words" { return .words }
        if let particle = KoreanParticle(notation: word) { return .particle(particle) }
        let forms = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard forms.count == 2, forms.allSatisfy({ $0.wholeMatch(of: /[A-Za-z]+/) != nil }) else {
            let particles = KoreanParticle.notations.joined(separator: ", ")
            throw Template.Problem("':\(word)' is neither words, nor one/many, nor one of \(particles)")
        }
        return .counted(one: forms[0], many: forms[1])
    }
}
