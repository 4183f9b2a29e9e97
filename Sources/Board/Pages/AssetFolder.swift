import FoundationEssentials

/// Finds the folder of the page's files.
///
/// See docs/decisions/0020-location-of-web-assets.md.
enum AssetFolder {
    /// Where they are below one of the folders above the program: installed, or in the sources it was built from.
    private static let places = ["share/marquee/web", "Sources/Board/Web"]

    struct AssetFolderError: Error, CustomStringConvertible {
        let program: String

        var description: String {
            "the board's web files are neither in \(places[0]) nor in \(places[1]) of a folder above \(program); "
                + "say where they are with --web"
        }
    }

    /// The folder that belongs to the program at `path`.
    static func find(above program: String) throws(AssetFolderError) -> String {
        var folder = program
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            for place in places where FileManager.default.fileExists(atPath: "\(folder)/\(place)/index.html") {
                return "\(folder)/\(place)"
            }
        }
        throw AssetFolderError(program: program)
    }

    /// The folder that belongs to this program.
    static func find() throws(AssetFolderError) -> String {
        // Fails only where there is no /proc; then no folder lies above it either.
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try find(above: program ?? "/proc/self/exe")
    }
}
