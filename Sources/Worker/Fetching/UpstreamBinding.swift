import FoundationEssentials
import Storage
import Text

/// The KOBIS service that a log was filled from, by host and port, so that the sandbox's figures never mix with real
/// ones.
enum UpstreamBinding {
    static let table = """
        create table origin (
            service text primary key
        ) strict, without rowid;
        """

    struct UpstreamBindingError: BilingualError {
        let known: String
        let configured: String

        var text: BilingualText {
            BilingualText(
                "이벤트 로그의 데이터는 다른 서비스에서 받은 것입니다(이벤트 로그: \(known), MARQUEE_KOBIS_URL: \(configured)). "
                    + "두 서비스의 데이터가 섞이지 않게 MARQUEE_DATA(또는 MARQUEE_DATABASE)를 바꾸세요",
                "the log holds figures from \(known), but MARQUEE_KOBIS_URL names \(configured): figures of two services "
                    + "must not mix; set MARQUEE_DATA, or MARQUEE_DATABASE, to another place")
        }
    }

    /// Binds a new log to the service at a URL; throws if the log is bound to another.
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
        guard let parts = URLComponents(string: url), let host = parts.host?.lowercased() else { return url }
        let port = parts.port ?? 443
        return "\(host.trimmingPrefix("www.")):\(port == 80 ? 443 : port)"
    }
}
