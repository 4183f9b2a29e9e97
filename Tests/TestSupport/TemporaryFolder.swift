import FoundationEssentials

/// A fresh folder that is removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
    /// Where the folder is.
    public let path: String

    /// Makes the folder.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/marquee-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover in the temporary folder is the system's to clean; a test must not fail by it.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` in the folder.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
