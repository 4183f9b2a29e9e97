extension Sequence<String> {
    /// Returns the name with the smallest edit distance to `word`, a name that was probably misspelt; nil if there is none
    /// within `limit`.
    ///
    /// An edit inserts, removes or replaces a byte, or swaps two adjacent ones. Of equally near names the first is returned.
    /// Only the first 256 bytes of `word` are compared, so that a long word costs no more.
    public func nearest(to word: String, within limit: Int = .max) -> String? {
        let distances = map { (name: $0, distance: editDistance($0, word)) }.filter { $0.distance <= limit }
        return distances.min { $0.distance < $1.distance }?.name
    }
}

/// Returns the number of edits that turn one text into the other: optimal string alignment over bytes.
func editDistance(_ one: String, _ other: String) -> Int {
    let one = Array(one.utf8)
    let other = Array(other.utf8.prefix(256))
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in one.indices {
        var current = [row + 1]
        for column in other.indices {
            let replaced = last[column] + (one[row] == other[column] ? 0 : 1)
            var best = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[other.count]
}
