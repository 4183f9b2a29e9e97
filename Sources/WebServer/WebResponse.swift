/// What a handler answers.
public struct WebResponse: Sendable {
    /// The bytes after the header.
    public enum Body: Sendable {
        /// All of them, with their true length announced.
        case bytes([UInt8])
        /// As much as is pushed, without a length announced, until the client goes or it is ended.
        case open(StreamingBody)
        /// A fault to order: `announced` bytes are promised, these are sent, and the connection is closed.
        case truncated([UInt8], announced: Int)
    }

    /// The status, 200 to 599.
    public var status: Int
    /// The media type of the body.
    public var contentType: String
    /// Further header fields. `Content-Type`, `Content-Length`, `Connection` and `Date` are the server's.
    public var headers: [(name: String, value: String)]
    /// The body; not sent in answer to `HEAD`.
    public var body: Body

    /// Makes a response.
    ///
    /// - Precondition: `status` is 200 to 599.
    public init(
        status: Int = 200, contentType: String, headers: [(name: String, value: String)] = [], body: Body
    ) {
        precondition((200...599).contains(status), "WebResponse.init: \(status) is no final HTTP status")
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// A JSON document.
    public static func json(_ bytes: [UInt8], status: Int = 200) -> WebResponse {
        WebResponse(status: status, contentType: "application/json;charset=UTF-8", body: .bytes(bytes))
    }

    /// Plain text.
    public static func text(_ text: String, status: Int = 200) -> WebResponse {
        WebResponse(status: status, contentType: "text/plain;charset=UTF-8", body: .bytes(Array(text.utf8)))
    }
}
