import Foundation
import TestSupport

extension TemporaryFolder {
    func copy(_ name: String, to other: TemporaryFolder) throws {
        try FileManager.default.copyItem(atPath: file(name), toPath: other.file(name))
    }

    func copy(_ name: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: file(name), toPath: file(other))
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(filePath: file(name)))
    }

    func data(of name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: file(name)))
    }

    func contains(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name))
    }
}
