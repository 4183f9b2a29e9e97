/// A request as it came in: two frames of bounded UTF-8 text, not yet understood.
public struct RequestFrames: Hashable, Sendable {
    /// The most bytes a body may have.
    public static let bodyLimit = 64 << 10

    /// The first frame.
    public let topic: String
    /// The second frame.
    public let body: String

    /// Makes a request's frames from text.
    public init(topic: String, body: String) {
        self.topic = topic
        self.body = body
    }

    /// Reads the frames of a message, or says why they are no request.
    public init(_ frames: [[UInt8]]) throws(Failure) {
        guard frames.count <= 2 else { throw Failure(.badRequest, "a request has two frames, not \(frames.count)") }
        guard let first = frames.first, let topic = String(validating: first, as: UTF8.self) else {
            throw Failure(.badRequest, "the topic is no UTF-8", field: "topic")
        }
        let bytes = frames.count == 2 ? frames[1] : []
        guard bytes.count <= Self.bodyLimit else {
            throw Failure(.badRequest, "a body has at most \(Self.bodyLimit) bytes, not \(bytes.count)", field: "body")
        }
        guard let body = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.badRequest, "the body is no UTF-8", field: "body")
        }
        self.topic = topic
        self.body = body
    }
}
