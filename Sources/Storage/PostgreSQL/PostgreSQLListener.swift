import Concurrency
import Dispatch
import Glibc

/// Listens, in a session of its own, to the commits that all processes make to one schema.
final class PostgreSQLListener: Sendable {
    private let server: DatabaseServer
    private let isClosed = Locked(false)

    init(_ server: DatabaseServer) {
        self.server = server
    }

    /// The channel of a schema's commits.
    static func channel(_ server: DatabaseServer) -> String { "marquee_\(server.namespace)" }

    func listen(_ action: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "database listener").async { [self] in
            var session: PostgreSQLSession?
            while !isClosed.withLock({ $0 }) {
                do throws(DatabaseError) {
                    if session == nil {
                        session = try PostgreSQLSession(server)
                        try session?.run("listen \(Self.channel(server))")
                        // For the commits before.
                        action()
                    }
                    if try session?.waitForNotification(milliseconds: 1_000) == true { action() }
                } catch {
                    // Not reported: whoever reads or writes meets the same server and says so.
                    session = nil
                    usleep(1_000_000)
                }
            }
        }
    }

    func close() {
        isClosed.withLock { $0 = true }
    }
}
