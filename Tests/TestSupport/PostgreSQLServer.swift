import Foundation

/// A PostgreSQL server of the tests' own, which ends with the last reference to it.
public final class PostgreSQLServer: Sendable {
    /// The server that tests share; each has schemas of its own there.
    public static func shared() async throws -> PostgreSQLServer { try await start.value }
    private static let start = Task { try await PostgreSQLServer() }

    private let folder: TemporaryFolder
    private let counterpart: Monitor<Counterpart>

    /// Starts a server, and waits until it can be used.
    public init() async throws {
        folder = try TemporaryFolder()
        counterpart = Monitor(try await Counterpart("postgresql.py", [folder.file("server")]))
    }

    /// The path of the server's socket.
    public var socket: String { folder.file("server/.s.PGSQL.5432") }

    /// Returns the address of a database, as a URL.
    public func address(of database: String = "postgres") -> String {
        "postgresql://marquee@/\(database)?host=\(folder.file("server"))"
    }

    /// Ends the server as a power loss would.
    public func kill() async throws {
        counterpart.withLock { $0 }.end()
        // The program that started the server has ended; the server follows it, and removes this file at its end.
        let file = folder.file("server/data/postmaster.pid")
        try await waitUntil("the server has ended") { !FileManager.default.fileExists(atPath: file) }
    }

    /// Starts the server again on what is on its disk.
    public func restart() async throws {
        let next = try await Counterpart("postgresql.py", [folder.file("server")])
        counterpart.withLock { $0 = next }
    }
}
