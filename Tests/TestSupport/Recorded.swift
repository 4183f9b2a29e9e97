public import FoundationEssentials

/// The recorded upstream responses beside the checkout, where they are there: `../shared/data`.
public enum Recorded {
    /// The folder, or nil if this machine does not have it; tests on recorded data are then skipped.
    public static let folder: String? = {
        let checkout = #filePath.split(separator: "/").dropLast(3)
        let path = "/" + checkout.dropLast().joined(separator: "/") + "/shared/data"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }()

    /// Whether the folder is there, for `@Test(.enabled(if: Recorded.isAvailable))`.
    public static var isAvailable: Bool { folder != nil }

    /// A recorded file by its path under the folder, such as `kobis/daily/20240604.json`.
    public static func data(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(folder ?? "no recorded data")/\(path)"))
    }

    /// The paths of all files directly under `subfolder`, sorted.
    public static func files(in subfolder: String) throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(subfolder)").sorted().map {
            "\(subfolder)/\($0)"
        }
    }

    /// The lines of a `.jsonl` file, one response each.
    public static func lines(_ path: String) throws -> [Data] {
        try data(path).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }
}
