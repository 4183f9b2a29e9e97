import BoxOffice
import Contract
import Storage

/// What an operator has said of a movie's poster: which image it is, or which images it is not.
struct PosterChoice: Sendable {
    static let table = """
        create table poster_choice (
            code text not null,
            image text not null,
            is_chosen integer not null,
            primary key (code, image)
        ) strict, without rowid;
        """

    /// The URL of the image that is the poster; nil if that is searched.
    var chosen: String?
    /// The URLs and SHA-256 digests of the images that are not the poster.
    var rejected: Set<String> = []

    init(for code: MovieCode, in connection: Connection) throws(DatabaseError) {
        let rows = try connection.query(
            "select image, is_chosen from poster_choice where code = ?", code.description, as: String.self, Int.self)
        for (image, isChosen) in rows {
            if isChosen == 1 { chosen = image } else { rejected.insert(image) }
        }
    }

    var isEmpty: Bool { chosen == nil && rejected.isEmpty }

    func allows(_ poster: Poster) -> Bool {
        guard let image = poster.image else { return chosen == nil }
        let isChosen = image.source == Poster.Image.operatorSource
        if let chosen { return isChosen && image.imageURL == chosen }
        return !isChosen && !rejected.contains(image.imageURL) && !rejected.contains(image.sha256)
    }

    /// Makes the image at a URL the poster of a movie, until that is changed.
    static func choose(_ url: String, for code: MovieCode, in connection: Connection) throws(DatabaseError) {
        try connection.execute("delete from poster_choice where code = ? and is_chosen = 1", code.description)
        try set(url, isChosen: true, for: code, in: connection)
    }

    /// Rejects the image that is shown as a movie's poster, or takes a chosen URL back that never came to be shown.
    static func reject(_ shown: Poster.Image?, for code: MovieCode, in connection: Connection) throws {
        try connection.execute(
            "delete from poster_choice where code = ? and is_chosen = 1 and image <> ?", code.description,
            shown?.imageURL ?? "")
        guard connection.changedRows == 0 else { return }
        guard let shown else {
            throw ContractError(.notFound, "the movie \(code) has no poster to reject", field: "code")
        }
        // The same image is found at other URLs, and a host may encode it anew.
        for image in [shown.imageURL, shown.sha256] { try set(image, isChosen: false, for: code, in: connection) }
    }

    private static func set(
        _ image: String, isChosen: Bool, for code: MovieCode, in connection: Connection
    ) throws(DatabaseError) {
        try connection.execute(
            """
            insert into poster_choice (code, image, is_chosen) values (?, ?, ?)
            on conflict (code, image) do update set is_chosen = excluded.is_chosen
            """, code.description, image, isChosen ? 1 : 0)
    }
}

/// The titles of the movies in the log, by which a movie's namesakes are known.
enum MovieTitles {
    static let table = """
        create table movie_title (code text primary key, letters text not null) strict, without rowid;
        create index movie_title_letters on movie_title (letters);
        """

    /// Stores the titles in a fact; of facts that are not about movies there are none.
    static func store(of fact: FetchResult.Fact, in connection: Connection) throws(DatabaseError) {
        switch fact {
        case .movie(let movie): try store(movie.title, of: movie.code, in: connection)
        case .chart(let chart):
            for entry in chart.entries { try store(entry.title, of: entry.movieCode, in: connection) }
        case .weekChart(let week):
            for entry in week.chart.entries { try store(entry.title, of: entry.movieCode, in: connection) }
        case .poster, .productPage, .product, .productRemoved: break
        }
    }

    /// Whether another movie has the title of this one, or a title that begins with it.
    static func hasNamesake(_ movie: Movie, in connection: Connection) throws(DatabaseError) -> Bool {
        let letters = letters(of: movie.title)
        return try !connection.query(
            "select code from movie_title where letters >= ? and letters < ? and code <> ? limit 1", letters,
            letters + "\u{10FFFF}", movie.code.description, as: String.self
        ).isEmpty
    }

    /// Returns the letters and digits of a title in small letters; the title itself if it has none.
    static func letters(of title: String) -> String {
        let letters = title.lowercased().filter { $0.isLetter || $0.isNumber }
        return letters.isEmpty ? title : letters
    }

    private static func store(_ title: String, of code: MovieCode, in connection: Connection) throws(DatabaseError) {
        try connection.execute(
            """
            insert into movie_title (code, letters) values (?, ?)
            on conflict (code) do update set letters = excluded.letters
            where movie_title.letters <> excluded.letters
            """, code.description, letters(of: title))
    }
}
