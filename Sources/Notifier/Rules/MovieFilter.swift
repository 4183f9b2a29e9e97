import BoxOffice

/// The films that a rule looks at: those with one of some codes, or with one of some words in their title.
struct MovieFilter: Hashable, Sendable {
    /// Codes of films.
    var movies: Set<MovieCode> = []
    /// Words of titles, without blanks.
    var titles: [String] = []

    /// Whether a film is one of them; where none is named, every film is.
    func includes(_ code: MovieCode?, title: String?) -> Bool {
        if movies.isEmpty, titles.isEmpty { return true }
        if let code, movies.contains(code) { return true }
        guard let title, !titles.isEmpty else { return false }
        let key = Self.key(title)
        return titles.contains { key.contains($0) }
    }

    /// A title as it is compared: without blanks, in small letters. The source itself writes 범죄도시4 and 범죄도시 4.
    static func key(_ title: String) -> String {
        title.lowercased().filter { !$0.isWhitespace }
    }
}
