import Contract

/// The topics of a subscription, by stream: those that begin with one of its prefixes.
struct TopicFilter: Hashable, Sendable {
    /// The prefixes within each subscribed stream; an empty list means the whole stream.
    private let prefixes: [Stream: [String]]

    init(prefixes: [String]) {
        var wanted: [Stream: [String]] = [:]
        for stream in Stream.allCases {
            let word = stream.rawValue + "."
            if prefixes.contains(where: word.hasPrefix) {
                wanted[stream] = []
            } else {
                let inside = prefixes.filter { $0.hasPrefix(word) }
                if !inside.isEmpty { wanted[stream] = inside }
            }
        }
        self.prefixes = wanted
    }

    /// The streams with subscribed topics, in a fixed order.
    var streams: [Stream] {
        Stream.allCases.filter { prefixes[$0] != nil }
    }

    /// Whether a whole stream is subscribed, so that gaps in its sequences show every loss.
    func isWhole(_ stream: Stream) -> Bool {
        prefixes[stream]?.isEmpty == true
    }

    func includes(_ topic: Topic) -> Bool {
        guard let wanted = prefixes[topic.stream] else { return false }
        guard !wanted.isEmpty else { return true }
        let text = topic.description
        return wanted.contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Returns the longest prefix that all subscribed topics of a stream share, for reading the log.
    func commonPrefix(in stream: Stream) -> String {
        guard let wanted = prefixes[stream], var common = wanted.first else { return "" }
        for other in wanted {
            common = String(zip(common, other).prefix { $0 == $1 }.map(\.0))
        }
        return common
    }
}
