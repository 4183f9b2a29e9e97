import OpenMarket
import Text

/// A received request that is not yet parsed: two frames of bounded UTF-8 text and, if it registers a product, one
/// frame for each image.
public struct RequestFrames: Hashable, Sendable {
    /// The maximum size of a body in bytes.
    public static let bodyLimit = 64 << 10

    /// The first frame: the kind of request.
    public let topic: String
    /// The second frame: the fields.
    public let body: String
    /// The further frames: the images.
    public let images: [[UInt8]]

    /// The maximum size of a received image in bytes. The Open Market gets smaller ones.
    public static let imageLimit = 8 << 20

    /// Makes a request's frames from text.
    public init(topic: String, body: String, images: [[UInt8]] = []) {
        self.topic = topic
        self.body = body
        self.images = images
    }

    /// Reads the frames of a message.
    ///
    /// - Throws: A `badRequest` error if a frame is too large or not valid UTF-8, or if the number of frames is wrong.
    public init(_ frames: [[UInt8]]) throws(ContractError) {
        let first = frames.first ?? []
        guard first.count <= RequestTopic.maximumBytes else {
            throw ContractError(
                .badRequest, "the topic must have at most \(RequestTopic.maximumBytes) bytes, not \(first.count)",
                field: "topic")
        }
        guard !frames.isEmpty, let topic = String(validating: first, as: UTF8.self) else {
            throw ContractError(.badRequest, "the topic is not valid UTF-8", field: "topic")
        }
        let bytes = frames.count > 1 ? frames[1] : []
        guard bytes.count <= Self.bodyLimit else {
            throw ContractError(
                .badRequest, "the body must have at most \(Self.bodyLimit) bytes, not \(bytes.count)", field: "body")
        }
        guard let body = String(validating: bytes.dropFirst(bytes.hasByteOrderMark ? 3 : 0), as: UTF8.self) else {
            throw ContractError(.badRequest, "the body is not valid UTF-8", field: "body")
        }
        self.topic = topic
        self.body = body
        images = try Self.images(frames.dropFirst(2), following: topic)
    }

    private static func images(_ frames: ArraySlice<[UInt8]>, following topic: String) throws(ContractError)
        -> [[UInt8]]
    {
        let known = RequestTopic(text: topic)
        guard known == .productRegister else {
            guard frames.isEmpty else {
                throw ContractError(.badRequest, "a request must have two frames, not \(frames.count + 2)")
            }
            return []
        }
        do throws(ProductValidationError) {
            try ProductConstraints.check(imageCount: frames.count)
        } catch {
            throw ContractError(error)
        }
        for (index, image) in frames.enumerated() where !(1...imageLimit).contains(image.count) {
            throw ContractError(
                .badRequest, "an image must have 1 byte to \(imageLimit >> 20) MiB, not \(image.count) bytes",
                field: "images[\(index)]")
        }
        return Array(frames)
    }
}
