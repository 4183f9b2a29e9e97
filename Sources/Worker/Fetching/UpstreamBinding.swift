import Storage
import Text

/// The KOBIS service that a log was filled from, by host and port, so that the sandbox's figures never mix with real ones.
enum UpstreamBinding {
    static let table = """
        create table origin (
            service text primary key
        ) strict, without rowid;
        """

    /// The log was filled from another service than the configured one.
    struct UpstreamBindingError: BilingualError {
        let known: String
        let configured: String

        var text: BilingualText {
            BilingualText(
                "로그의 데이터는 다른 서비스에서 받은 것입니다(로그: \(known), MARQUEE_KOBIS_URL: \(configured)). "
                    + "두 서비스의 데이터가 섞이지 않게 MARQUEE_DATA(또는 MARQUEE_DATABASE)를 바꾸세요",
                "the log holds figures from \(known), but MARQUEE_KOBIS_URL names \(configured): figures of two services "
                    + "must not mix; set MARQUEE_DATA, or MARQUEE_DATABASE, to another place")
        }
    }

    /// Binds a new log to the service at a URL.
    ///
    /// - Throws: ``UpstreamBindingError`` if the log is bound to another service.
    static func bind(_ database: Database, to url: String) async throws {
        let configured = service(at: url)
        let known = try await database.write { connection in
            try connection.execute(
                "insert into origin (service) select ? where not exists (select 1 from origin)", configured)
            return try connection.query("select service from origin", as: String.self)[0]
        }
        if known != configured { throw UpstreamBindingError(known: known, configured: configured) }
    }

    /// Returns the host and the port in a URL, without `www.` and with 443 for 80: KOBIS answers under both names, and by
    /// HTTP and HTTPS.
    static func service(at url: String) -> String {
        let afterScheme = url.split(separator: "://", maxSplits: 1).last ?? ""
        let authority = afterScheme.prefix { !"/?#".contains($0) }.lowercased()
        // The colons of an IPv6 address stand in brackets: `[::1]:8590`.
        let colon = authority.split(separator: "]", omittingEmptySubsequences: false).last?.lastIndex(of: ":")
        let host = (colon.map { authority[..<$0] } ?? authority[...]).trimmingPrefix("www.")
        let port = colon.map { authority[$0...].dropFirst() } ?? ""
        return "\(host):\(["", "80"].contains(port) ? "443" : port)"
    }
}
