import TestSupport
import Testing

@testable import Notifier
@testable import Storage

@Suite struct PortableSQLTests {
    @Test("both engines know every statement", .patience)
    func statements() async throws {
        let folder = try TemporaryFolder()
        let address = try await PostgreSQLServer.shared().address()
        let server = DatabaseServer(address: address, namespace: "portable_notifier")
        let path = folder.file("notifier.db")
        for location in [DatabaseLocation.file(path), .server(server)] {
            await (try Database(location, schema: NotifierStore.schema)).close()
        }
        let file = try SQLiteConnection(path: path, lock: nil)
        let session = try PostgreSQLSession(server)
        let statements = try sqlStatements(in: "Notifier", "EventStore", "Health")
        #expect(statements.count > 60)
        for (name, sql) in statements {
            do {
                try file.run(script: "explain \(sql)")
                try session.run("prepare statement as \(PostgreSQLDialect.statement(sql)); deallocate statement")
            } catch {
                Issue.record("\(name): \(sql): \(error)")
            }
        }
    }
}
