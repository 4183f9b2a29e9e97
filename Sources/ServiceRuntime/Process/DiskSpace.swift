import Glibc

/// The space on the disk of a folder, in bytes.
public struct DiskSpace: Sendable {
    /// What a process without privileges can still write.
    public let free: Double
    /// The size of the disk.
    public let size: Double

    /// Asks the system; nil if it does not answer, for instance because the folder does not exist.
    public init?(ofFolder path: String) {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return nil }
        let block = Double(information.f_frsize)
        (free, size) = (Double(information.f_bavail) * block, Double(information.f_blocks) * block)
    }

    /// Whether less than `reserve` bytes are free; on a small disk the reserve is no more than `largestPart` of it.
    public func isBelow(reserve: Double, largestPart: Double = 0.05) -> Bool {
        free < min(reserve, size * largestPart)
    }
}
