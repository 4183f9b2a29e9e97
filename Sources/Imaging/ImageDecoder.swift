internal import Concurrency

/// Decodes strangers' images, one at a time, each in a child process that may do nothing else.
///
/// The child is this program with the argument `decode-image`: see ``DecoderChild``. It has no file, no network, no
/// environment, 64 MB for the decoder and five seconds of processor time. Whatever ends it otherwise than with an image
/// means that the image is refused: a decoder that crashes, or is made to run a stranger's code, takes nothing with it.
///
/// See docs/decisions/image-decoding-process.md.
public final class ImageDecoder: Sendable {
    /// A child process could not be started, or could not give up its rights. Nothing is said about the image.
    public struct ImageDecoderError: Error, Sendable, CustomStringConvertible {
        let reason: String
        /// One line, with the reason and what to do.
        public var description: String { "cannot decode an image in a process of its own: \(reason)" }
    }

    /// What to make of an image: a JPEG.
    public struct Target: Hashable, Sendable {
        /// The largest width in pixels; smaller images are not enlarged.
        public let width: Int
        /// The largest height in pixels.
        public let height: Int
        /// The quality, 1 to 100.
        public let quality: Int
        /// The most bytes; the image is made smaller until it has no more.
        public let bytes: Int

        /// Makes a target; no JPEG has more than 16 MiB.
        public init(width: Int, height: Int, quality: Int, bytes: Int = ImageDecoder.maximumOutput) {
            self.width = width
            self.height = height
            self.quality = quality
            self.bytes = min(bytes, ImageDecoder.maximumOutput)
        }
    }

    /// The first argument of the child.
    public static let command = "decode-image"
    /// The most bytes of a result: a child that writes more is ended.
    public static let maximumOutput = 16 << 20

    private let program: String
    private let deadline: Duration
    private let permit = AsyncSemaphore(permits: 1)

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - program: The executable of `marquee`. This process's own unless it is another, as in tests; it is the same one
    ///     even after an upgrade has replaced the file.
    ///   - deadline: How long one image may take. It is longer than the five seconds of processor time, so that a busy
    ///     machine does not refuse an honest image.
    public init(program: String = "/proc/self/exe", deadline: Duration = .seconds(15)) {
        self.program = program
        self.deadline = deadline
    }

    /// Whether an image can be decoded, as far as its headers say: a JPEG, PNG or still WebP that takes at most 64 MB.
    public static func canDecode(_ file: [UInt8], to target: Target) -> Bool {
        guard let header = ImageHeader.read(file) else { return false }
        return DecodingPlan(of: file, header, toFit: target.width, target.height) != nil
    }

    /// Decodes a file and makes a JPEG of it; nil if it is no image, is damaged, or takes too much memory or time.
    ///
    /// Waits for the images before it. Cancellation does not end it: it ends within the deadline of its turn.
    public func jpeg(of file: [UInt8], _ target: Target) async throws(ImageDecoderError) -> [UInt8]? {
        // Most of what is refused is refused without a process.
        guard Self.canDecode(file, to: target) else { return nil }
        let result = await permit.withPermit { [program, deadline] in
            await withCheckedContinuation { continuation in
                do throws(SystemError) {
                    // A thread that blocks until the child has ended.
                    try startThread {
                        let child = DecoderParent(program: program, deadline: deadline)
                        let result = Result { () throws(ImageDecoderError) in try child.run(file, target) }
                        continuation.resume(returning: result)
                    }
                } catch {
                    continuation.resume(returning: .failure(ImageDecoderError(reason: "\(error)")))
                }
            }
        }
        guard let bytes = try result.get() else { return nil }
        // What a child writes is not trusted either.
        guard let header = ImageHeader.read(bytes), header.format == .jpeg, header.width <= target.width,
            header.height <= target.height, bytes.count <= target.bytes
        else { return nil }
        return bytes
    }
}
