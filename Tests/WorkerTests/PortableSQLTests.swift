import TestSupport
import Testing

@testable import Storage
@testable import Worker

@Suite struct PortableSQLTests {
    @Test("both engines know every statement", .patience)
    func statements() async throws {
        let folder = try TemporaryFolder()
        let address = try await PostgreSQLServer.shared().address()
        let server = DatabaseServer(address: address, namespace: "portable_worker")
        let path = folder.file("worker.db")
        for location in [DatabaseLocation.file(path), .server(server)] {
            await (try Database(location, schema: WorkerStore.schema)).close()
        }
        let file = try SQLiteConnection(path: path, lock: nil)
        let session = try PostgreSQLSession(server)
        let statements = try sqlStatements(in: "Worker", "EventStore", "Health")
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
