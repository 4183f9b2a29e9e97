/// A language that alerts are told in; the raw value is its word in the rule file and in `text`.
enum Language: String, CaseIterable {
    case ko
    case en
}
