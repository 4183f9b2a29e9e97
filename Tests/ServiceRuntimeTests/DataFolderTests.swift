import Concurrency
import Foundation
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite struct DataFolderTests {
    private let folder: TemporaryFolder
    private let lines = Locked("")

    init() throws {
        folder = try TemporaryFolder()
    }

    private func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }

    private func create(_ names: String..., mode: Int = 0o644) throws {
        for name in names {
            #expect(
                FileManager.default.createFile(
                    atPath: folder.file(name), contents: nil, attributes: [.posixPermissions: mode]))
        }
    }

    /// Narrows the permissions and returns the number of lines that say so.
    private func narrow() throws -> Int {
        lines.withLock { $0 = "" }
        let logger = Logger(label: "test") { [lines] bytes in
            lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        try DataFolder(folder.file("data")).narrowPermissions(logger: logger)
        return lines.withLock { $0.split(separator: "\n").count { $0.contains("permissions narrowed") } }
    }

    @Test("only its owner may enter a new folder, and its new parents")
    func new() throws {
        _ = try DataFolder(folder.file("data/deeper"))
        #expect(try mode(of: "data") == 0o700)
        #expect(try mode(of: "data/deeper") == 0o700)
    }

    @Test("files that others can read, as copies by hand, are narrowed once, and each is logged")
    func existing() throws {
        _ = try DataFolder(folder.file("data"))
        try create("data/worker.db", "data/worker.db-wal", "data/notifier.log", "data/board.db-replaced-1")
        try create("data/images.db", mode: 0o600)
        #expect(chmod(folder.file("data"), 0o755) == 0)
        #expect(try narrow() == 5)
        for name in ["worker.db", "worker.db-wal", "notifier.log", "board.db-replaced-1", "images.db"] {
            #expect(try mode(of: "data/\(name)") == 0o600)
        }
        #expect(try mode(of: "data") == 0o700)
        #expect(try narrow() == 0)
    }

    @Test("what is not ours keeps its permissions: another's file, the folder that holds it, the target of a link")
    func others() throws {
        _ = try DataFolder(folder.file("data"))
        try create("data/rules.yml", "elsewhere")
        #expect(chmod(folder.file("data"), 0o755) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("data/worker.db"), withDestinationPath: folder.file("elsewhere"))
        #expect(try narrow() == 0)
        #expect(try mode(of: "data") == 0o755)
        #expect(try mode(of: "data/rules.yml") == 0o644)
        #expect(try mode(of: "elsewhere") == 0o644)
    }
}
