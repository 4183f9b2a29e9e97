import Glibc
public import Operations

extension Metrics {
    /// Adds the size of a database's file, with what its write-ahead log holds.
    public func addDatabase(at path: String) {
        gauge("marquee_database_size_bytes", "The database's file and its write-ahead log.") {
            let sizes = [path, path + "-wal"].compactMap(size)
            return sizes.isEmpty ? nil : sizes.reduce(0, +)
        }
    }
}

private func size(of path: String) -> Double? {
    var status = stat()
    return stat(path, &status) == 0 ? Double(status.st_size) : nil
}
