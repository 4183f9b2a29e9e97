import FoundationEssentials
import WebServer

/// The files of a folder, read at the start: a fixed table, so that no path of a request ever reaches the file system.
struct StaticFiles: Sendable {
    /// A folder that cannot be served.
    struct StaticFilesError: Error, CustomStringConvertible {
        let folder: String
        let reason: String

        /// Which folder, and why not.
        var description: String { "the web files in \(folder) cannot be read: \(reason)" }
    }

    private var files: [String: CacheableBody] = [:]

    /// Reads all files in a folder and below it, each through `change`; files of unknown kinds are left out.
    init(
        folder: String, change: (_ path: String, _ bytes: [UInt8]) -> [UInt8] = { $1 }
    ) throws(StaticFilesError) {
        do {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                let suffix = path.split(separator: ".").last.map(String.init) ?? ""
                guard let type = Self.types[suffix] else { continue }
                let bytes = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(path)")))
                files[path] = CacheableBody(
                    change(path, bytes), contentType: type, isCompressible: !type.hasPrefix("image/png"))
            }
        } catch {
            throw StaticFilesError(folder: folder, reason: "\(error)")
        }
        guard !files.isEmpty else { throw StaticFilesError(folder: folder, reason: "there are none") }
    }

    /// The file at a path below the folder, without a slash at its beginning.
    subscript(path: some StringProtocol) -> CacheableBody? { files[String(path)] }

    private static let types = [
        "html": "text/html;charset=UTF-8", "css": "text/css;charset=UTF-8", "js": "text/javascript;charset=UTF-8",
        "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
        "webmanifest": "application/manifest+json", "txt": "text/plain;charset=UTF-8",
    ]
}
