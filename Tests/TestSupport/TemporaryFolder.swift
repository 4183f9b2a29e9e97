import FoundationEssentials

/// A new folder that is removed with its contents when the last reference is released.
public final class TemporaryFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates the folder.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/marquee-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // The system cleans the temporary folder; a leftover must not fail a test.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of `name` in the folder.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
