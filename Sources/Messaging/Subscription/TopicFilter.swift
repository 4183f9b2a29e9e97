import Contract

/// What a subscription wants: the topics that begin with one of some prefixes, seen stream by stream.
struct TopicFilter: Hashable, Sendable {
    /// The prefixes within each stream that is touched at all; none of them means that the whole stream is wanted.
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

    /// The streams of which something is wanted, in a fixed order.
    var streams: [Stream] {
        Stream.allCases.filter { prefixes[$0] != nil }
    }

    /// Whether all of a stream is wanted, so that its sequence shows every loss.
    func isWhole(_ stream: Stream) -> Bool {
        prefixes[stream]?.isEmpty == true
    }

    /// Whether a topic is wanted.
    func includes(_ topic: Topic) -> Bool {
        guard let wanted = prefixes[topic.stream] else { return false }
        guard !wanted.isEmpty else { return true }
        let text = topic.description
        return wanted.contains { text.utf8.starts(with: $0.utf8) }
    }

    /// The longest prefix that all wanted topics of a stream share: what to ask the log for.
    func commonPrefix(in stream: Stream) -> String {
        guard let wanted = prefixes[stream], var common = wanted.first else { return "" }
        for other in wanted {
            common = String(zip(common, other).prefix { $0 == $1 }.map(\.0))
        }
        return common
    }
}
