import FoundationEssentials
import Text
import WebServer

/// The page's files, read into memory at the start, so that no path of a request ever reaches the file system.
struct StaticFiles: Sendable {
    /// The folder cannot be read, or has no files that the board serves.
    struct StaticFilesError: Error, CustomStringConvertible {
        let folder: String
        let reason: String

        var description: String { "cannot read the page's files in \(folder): \(reason)" }
    }

    private var files: [String: CacheableBody] = [:]

    /// Reads all files in a folder and the folders below it; leaves out those with an unknown suffix.
    ///
    /// - Parameter change: Returns the bytes that are served, given a file's path below the folder and its bytes.
    init(
        folder: String, change: (_ path: String, _ bytes: [UInt8]) -> [UInt8] = { $1 }
    ) throws(StaticFilesError) {
        do {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                let suffix = path.parts(between: ".").last.map(String.init) ?? ""
                guard let type = Self.contentTypes[suffix] else { continue }
                let bytes = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(path)")))
                files[path] = CacheableBody(
                    change(path, bytes), contentType: type, isCompressible: !type.hasPrefix("image/png"))
            }
        } catch {
            throw StaticFilesError(folder: folder, reason: "\(error)")
        }
        guard !files.isEmpty else { throw StaticFilesError(folder: folder, reason: "it has no such files") }
    }

    /// The file at a path below the folder, without a slash before it.
    subscript(path: some StringProtocol) -> CacheableBody? { files[String(path)] }

    private static let contentTypes = [
        "html": "text/html;charset=UTF-8", "css": "text/css;charset=UTF-8", "js": "text/javascript;charset=UTF-8",
        "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
        "webmanifest": "application/manifest+json", "txt": "text/plain;charset=UTF-8",
    ]
}

/// Finds the folder of the page's files.
///
/// See docs/decisions/0020-location-of-web-assets.md.
enum AssetFolder {
    /// Paths below one of the folders above the program: where it is installed, and in the sources that it is built from.
    private static let candidates = ["share/marquee/web", "Sources/Board/Web"]

    /// No folder above the program has the files.
    struct AssetFolderError: Error, CustomStringConvertible {
        let program: String

        var description: String {
            "cannot find the board's web files: neither \(candidates[0]) nor \(candidates[1]) is in a folder above "
                + "\(program); name their folder with --web"
        }
    }

    /// Returns the folder that belongs to the program at this path.
    static func find(above program: String) throws(AssetFolderError) -> String {
        var folder = program
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            for path in candidates where FileManager.default.fileExists(atPath: "\(folder)/\(path)/index.html") {
                return "\(folder)/\(path)"
            }
        }
        throw AssetFolderError(program: program)
    }

    /// Returns the folder that belongs to this program.
    static func find() throws(AssetFolderError) -> String {
        // Fails only without /proc; then the search above that path fails, too.
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try find(above: program ?? "/proc/self/exe")
    }
}
