import Foundation

/// Returns the SQL of all statements in folders of `Sources`, each with the name of its file.
public func sqlStatements(in folders: String...) throws -> [(file: String, sql: String)] {
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
