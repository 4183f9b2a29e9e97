/// What an image search asks for, checked.
struct ImageQuery: Sendable {
    var query: String
    var page: Int
    var size: Int
}
