import BoxOffice
import Storage

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

    private static func store(
        _ title: String, of code: MovieCode, in connection: Connection
    ) throws(DatabaseError) {
        try connection.execute(
            """
            insert into movie_title (code, letters) values (?, ?)
            on conflict (code) do update set letters = excluded.letters
            where movie_title.letters <> excluded.letters
            """, code.description, letters(of: title))
    }
}
