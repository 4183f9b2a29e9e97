/// What a PostgreSQL server says of itself and of this program's user, for an operator.
public struct ServerReport: Sendable {
    /// The version, such as `15.14`.
    public let version: String
    /// The median time of a question and its answer.
    public let roundTrip: Duration
    /// The version of TLS; nil if the connection is not encrypted.
    public let encryption: String?
    /// Whether the connection stays on this machine.
    public let isLocal: Bool
    /// Whether the user may make the tables, and write those that are there.
    public let mayWrite: Bool
    /// Whether the server waits for its disk.
    public let isSynced: Bool
    /// The server's `synchronous_commit`; this program's sessions turn `off` into `on`.
    public let synchronousCommit: String
    /// The server's `synchronous_standby_names`; empty if commits wait for no standby.
    public let standbyNames: String
    /// Whether a synchronous standby is connected; nil if the user may not know.
    public let hasStandby: Bool?

    /// Asks the server, and blocks the calling thread; throws, too, if this version cannot use what is there.
    public init(of server: DatabaseServer, _ schema: Schema) throws(DatabaseError) {
        let session = try PostgreSQLSession(server)
        let space = server.namespace
        let row = try session.rows(
            of: """
                select split_part(current_setting('server_version'), ' ', 1),
                    (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl),
                    coalesce(inet_client_addr() = inet_server_addr(), true),
                    case when to_regnamespace('\(space)') is null
                        then has_database_privilege(current_database(), 'create')
                        else has_schema_privilege('\(space)', 'create') and has_schema_privilege('\(space)', 'usage')
                            and not exists (select from pg_class where relnamespace = to_regnamespace('\(space)')
                                and relkind = 'r' and not has_table_privilege(oid, 'insert'))
                        end,
                    current_setting('fsync') = 'on',
                    (select reset_val from pg_settings where name = 'synchronous_commit'),
                    current_setting('synchronous_standby_names'),
                    case when pg_has_role('pg_read_all_stats', 'usage') then exists
                        (select from pg_stat_replication where sync_state in ('sync', 'quorum')) end
                """, [])[0]
        let times = try (0..<9).map { _ throws(DatabaseError) in
            let start = ContinuousClock.now
            try session.run("select 1")
            return start.duration(to: .now)
        }
        version = String(stored: row[0]) ?? ""
        roundTrip = times.sorted()[times.count / 2]
        encryption = String(stored: row[1])
        isLocal = row[2] == .integer(1)
        mayWrite = row[3] == .integer(1)
        isSynced = row[4] == .integer(1)
        synchronousCommit = String(stored: row[5]) ?? ""
        standbyNames = String(stored: row[6]) ?? ""
        hasStandby = Int(stored: row[7]).map { $0 == 1 }
        guard mayWrite else { return }
        do throws(DatabaseError) {
            try schema.check(session, server)
        } catch {
            // The process makes the tables, or updates them.
            guard [.notADatabase, .olderSchema].contains(error.kind) else { throw error }
        }
    }
}
