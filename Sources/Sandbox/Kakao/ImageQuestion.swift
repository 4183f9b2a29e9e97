/// What an image search asks for, checked.
struct ImageQuestion: Sendable {
    var query: String
    var page: Int
    var size: Int
}
