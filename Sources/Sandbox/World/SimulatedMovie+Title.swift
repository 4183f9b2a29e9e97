extension SimulatedMovie {
    /// The Korean title as the service publishes it, sometimes with a stray space, tab or no-break space.
    var title: String {
        var random = random(for: .title).branch(1)
        let title = plainTitle
        switch random.unit() {
        case ..<0.015: return title + " "
        case ..<0.02: return " " + title
        case ..<0.027: return title + "\t"
        case ..<0.034: return title + "\u{A0}"
        case ..<0.04: return String(title.map { $0 == " " ? "\u{A0}" : $0 })
        default: return title
        }
    }

    /// The Korean title without stray spaces.
    var plainTitle: String { MovieTitle(of: id, seed: seed).korean }

    /// The English title, also if the service does not publish it.
    var plainTitleEnglish: String { MovieTitle(of: id, seed: seed).english }

    /// The English title as the service publishes it; empty for a few movies, as in reality.
    var titleEnglish: String {
        var random = random(for: .title).branch(2)
        return random.chance(0.97) ? plainTitleEnglish : ""
    }
}
