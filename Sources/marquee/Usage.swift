/// What a command is called and takes; help and parsing both follow from it.
struct Usage: Sendable {
    /// A word beginning with two dashes.
    struct Option: Sendable {
        /// The name with its dashes.
        let name: String
        /// What the value is called in help; nil for a switch without one.
        var value: String?
        /// One line for people.
        let meaning: String
        /// Whether it may be given several times.
        var isRepeatable = false
        /// Whether help leaves it out, because only other programs give it.
        var isHidden = false
    }

    /// The command's name.
    let name: String
    /// The positional arguments as help shows them.
    var arguments = ""
    /// One line for people.
    let summary: String
    /// What `help COMMAND` says below that.
    var details = ""
    /// The options.
    var options: [Option] = []

    /// The whole help text.
    var help: String {
        var head = "marquee \(name)"
        if !arguments.isEmpty { head += " \(arguments)" }
        let options = options.filter { !$0.isHidden }
        if !options.isEmpty { head += " [options]" }
        var lines = ["usage: \(head)", "", summary]
        if !details.isEmpty { lines += ["", details] }
        if !options.isEmpty {
            let heads = options.map { $0.value == nil ? $0.name : "\($0.name) \($0.value ?? "")" }
            let width = heads.map(\.count).max() ?? 0
            lines.append("")
            for (head, option) in zip(heads, options) {
                lines.append("  \(head)\(String(repeating: " ", count: width - head.count))  \(option.meaning)")
            }
        }
        return lines.joined(separator: "\n")
    }
}
