import FoundationEssentials
import Glibc
import Text
import WebServer

/// The page's files, read into memory at the start, so that no path of a request ever reaches the file system.
struct StaticFiles: Sendable {
    /// The folder cannot be read, or has no files that the board serves.
    struct StaticFilesError: BilingualError {
        let folder: String
        let reason: BilingualText

        var text: BilingualText {
            BilingualText(
                "\(folder): 웹 파일 폴더를 읽을 수 없습니다(\(reason.text(in: .ko))). 다른 폴더를 --web 옵션에 지정하세요",
                "cannot read the page's files in \(folder): \(reason)")
        }
    }

    private var files: [String: CacheableBody] = [:]

    /// Reads all files in a folder and the folders below it, but those with an unknown suffix; serves what `change` returns.
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
            let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            throw StaticFilesError(
                folder: folder, reason: code.map { BilingualText(errno: $0) } ?? BilingualText("읽기 실패", "\(error)"))
        }
        guard !files.isEmpty else {
            throw StaticFilesError(folder: folder, reason: BilingualText("웹 파일 없음", "it has no such files"))
        }
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
enum AssetFolder {
    /// Paths below one of the folders above the program: where it is installed, and in the sources that it is built from.
    private static let candidates = ["share/marquee/web", "Sources/Board/Web"]

    /// No folder above the program has the files.
    struct AssetFolderError: BilingualError {
        let program: String

        var text: BilingualText {
            BilingualText(
                "보드의 웹 파일을 찾을 수 없습니다. \(program)의 상위 폴더에 \(candidates.joined(separator: ", ")) 폴더가 없습니다. "
                    + "웹 파일 폴더를 --web 옵션에 지정하세요",
                "cannot find the board's web files: neither \(candidates[0]) nor \(candidates[1]) is in a folder above "
                    + "\(program); name their folder with --web")
        }
    }

    /// Returns the folder that belongs to the program at this path, by default to this one.
    static func find(above program: String? = nil) throws(AssetFolderError) -> String {
        // Fails only without /proc; then the search above that path fails, too.
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = program ?? own ?? "/proc/self/exe"
        var folder = program
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            for path in candidates where FileManager.default.fileExists(atPath: "\(folder)/\(path)/index.html") {
                return "\(folder)/\(path)"
            }
        }
        throw AssetFolderError(program: program)
    }
}
