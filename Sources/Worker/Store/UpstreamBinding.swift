import SQLite

/// The KOBIS host that a log was filled from, so that the sandbox's figures never mix with real ones.
enum UpstreamBinding {
    static let schema = Schema.Component(
        "origin",
        migrations: [
            """
            create table origin (
                host text primary key
            ) strict, without rowid;
            """
        ])

    /// The log was filled from another host than the configured one.
    struct UpstreamBindingError: Error, CustomStringConvertible {
        let known: String
        let configured: String

        var description: String {
            "the log holds figures from \(known), but MARQUEE_KOBIS_URL names \(configured): figures of two services must "
                + "not mix; set MARQUEE_DATA to another folder"
        }
    }

    /// Binds a new log to the host of a URL.
    ///
    /// - Throws: ``UpstreamBindingError`` if the log is bound to another host.
    static func bind(_ database: Database, to url: String) async throws {
        let configured = host(of: url)
        let known = try await database.write { connection in
            try connection.execute(
                "insert into origin (host) select ? where not exists (select 1 from origin)", configured)
            return try connection.query("select host from origin", as: String.self)[0]
        }
        if known != configured { throw UpstreamBindingError(known: known, configured: configured) }
    }

    /// Returns the host that a URL names, without port and without `www.`: KOBIS answers under both names.
    static func host(of url: String) -> String {
        let afterScheme = url.split(separator: "://", maxSplits: 1).last ?? ""
        let authority = afterScheme.prefix { !"/?#".contains($0) }.lowercased()
        // The colons of an IPv6 address stand in brackets: `[::1]:8590`.
        let port = authority.split(separator: "]", omittingEmptySubsequences: false).last?.lastIndex(of: ":")
        let host = port.map { authority[..<$0] } ?? authority[...]
        return String(host.trimmingPrefix("www."))
    }
}
