import Contract
import OpenMarket

/// A body of frames, as ZeroMQ has them: each with its length before it, four bytes, the highest first.
enum FramedBody {
    /// What such a body is called. No form of another site can send it without asking first (Fetch, CORS-safelisted types).
    static let contentType = "application/vnd.marquee.frames"
    /// The most bytes that one may have: those of five images and what is said of them.
    static let limit = ProductConstraints.imageCount.upperBound * RequestFrames.imageLimit + RequestFrames.bodyLimit
    /// More than any request has, so that the sixth image is told as what it is.
    private static let mostFrames = 16

    /// The frames of a body.
    static func frames(_ body: [UInt8]) throws(ContractError) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var rest = body[...]
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 4 + length, frames.count < mostFrames else {
                throw ContractError(.badRequest, "the body's frames cannot be told apart", field: "body")
            }
            frames.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return frames
    }
}
