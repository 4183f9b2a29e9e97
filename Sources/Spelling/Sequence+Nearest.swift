extension Sequence<String> {
    /// The word that takes the fewest edits to reach from `word`; the first of equals, nil if there are no words.
    public func nearest(to word: String) -> String? {
        let distances = map { (word: $0, distance: editDistance($0, word)) }
        return distances.min { $0.distance < $1.distance }?.word
    }
}
