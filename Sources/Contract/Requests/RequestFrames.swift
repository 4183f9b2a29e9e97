import OpenMarket

/// A request as it came in, not yet understood: two frames of bounded UTF-8 text, and where a product is registered, its
/// pictures, a frame each.
public struct RequestFrames: Hashable, Sendable {
    /// The most bytes a body may have.
    public static let bodyLimit = 64 << 10

    /// The first frame.
    public let topic: String
    /// The second frame.
    public let body: String
    /// The further frames.
    public let images: [[UInt8]]

    /// The most bytes a picture may have when it comes in; the market is sent smaller ones.
    public static let imageLimit = 8 << 20

    /// Makes a request's frames from text.
    public init(topic: String, body: String, images: [[UInt8]] = []) {
        self.topic = topic
        self.body = body
        self.images = images
    }

    /// Reads the frames of a message, or says why they are no request.
    public init(_ frames: [[UInt8]]) throws(ContractError) {
        guard let first = frames.first, let topic = String(validating: first, as: UTF8.self) else {
            throw ContractError(.badRequest, "the topic is no UTF-8", field: "topic")
        }
        let bytes = frames.count > 1 ? frames[1] : []
        guard bytes.count <= Self.bodyLimit else {
            throw ContractError(
                .badRequest, "a body has at most \(Self.bodyLimit) bytes, not \(bytes.count)", field: "body")
        }
        guard let body = String(validating: bytes, as: UTF8.self) else {
            throw ContractError(.badRequest, "the body is no UTF-8", field: "body")
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
                throw ContractError(.badRequest, "a request has two frames, not \(frames.count + 2)")
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
                .badRequest, "an image has 1 byte to \(imageLimit >> 20) MiB, and not \(image.count) bytes",
                field: "images[\(index)]")
        }
        return Array(frames)
    }
}
