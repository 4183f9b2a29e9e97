import Foundation
import TestSupport
import Testing

@testable import Notifier
@testable import Storage
@testable import Worker

@Suite struct PortableSQLTests {
    private static let modules = [
        (name: "Worker", schema: WorkerStore.schema), (name: "Notifier", schema: NotifierStore.schema),
    ]

    @Test("both engines know every statement", .patience, arguments: modules)
    func statements(_ module: (name: String, schema: Schema)) async throws {
        let folder = try TemporaryFolder()
        let address = try await PostgreSQLServer.shared().address()
        let server = DatabaseServer(address: address, namespace: "portable_\(module.name.lowercased())")
        let path = folder.file("portable.db")
        for location in [DatabaseLocation.file(path), .server(server)] {
            await (try Database(location, schema: module.schema)).close()
        }
        let file = try SQLiteConnection(path: path)
        let session = try PostgreSQLSession(server)
        let statements = try sqlStatements(in: [module.name, "EventStore", "Health"])
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

/// Returns the SQL of all statements in folders of `Sources`, each with the name of its file.
private func sqlStatements(in folders: [String]) throws -> [(file: String, sql: String)] {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
    var statements: [(file: String, sql: String)] = []
    for folder in folders {
        let path = sources.appending(path: folder).path
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for file in files.sorted() where file.hasSuffix(".swift") {
            var rest = try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)[...]
            while let call = rest.firstRange(of: /\.(execute|query|forEachRow)\(\s*(of:\s*)?"/) {
                rest = rest[call.upperBound...]
                let quotes = rest.hasPrefix("\"\"") ? "\"\"\"" : "\""
                if quotes.count == 3 { rest = rest.dropFirst(2) }
                let end = rest.firstRange(of: quotes)?.lowerBound ?? rest.endIndex
                statements.append((file, String(rest[..<end])))
                rest = rest[end...]
            }
        }
    }
    return statements
}
