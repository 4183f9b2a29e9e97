import SQLite

/// Which service a log was filled from, so that made-up figures never mix with real ones.
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

    /// A log that was filled from somewhere else than the configuration now names.
    struct UpstreamBindingError: Error, CustomStringConvertible {
        let known: String
        let configured: String

        var description: String {
            "the log was filled from \(known), and MARQUEE_KOBIS_URL names \(configured): figures of two services must "
                + "not mix; set MARQUEE_DATA to another folder"
        }
    }

    /// Binds a new log to the upstream's host, and refuses one that is bound to another.
    static func bind(_ database: Database, to url: String) async throws {
        let configured = host(of: url)
        let known = try await database.write { connection in
            try connection.execute(
                "insert into origin (host) select ? where not exists (select 1 from origin)", configured)
            return try connection.query("select host from origin", as: String.self)[0]
        }
        if known != configured { throw UpstreamBindingError(known: known, configured: configured) }
    }

    /// The host that a URL names, without port and without `www.`, which the council's service answers to as well.
    static func host(of url: String) -> String {
        let afterScheme = url.split(separator: "://", maxSplits: 1).last ?? ""
        let authority = afterScheme.prefix { !"/?#".contains($0) }.lowercased()
        // The colons of an IPv6 address stand in brackets: `[::1]:8590`.
        let port = authority.split(separator: "]", omittingEmptySubsequences: false).last?.lastIndex(of: ":")
        let host = port.map { authority[..<$0] } ?? authority[...]
        return String(host.trimmingPrefix("www."))
    }
}
