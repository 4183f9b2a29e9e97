import CImaging

/// The size at which an image is to be decoded, and the memory that this takes, computed before a decoder begins.
///
/// See docs/decisions/image-decoding-process.md.
struct DecodingPlan {
    /// The most memory that the decoding of one image may take, in bytes. An image that needs more is refused.
    static let memoryLimit = 64 << 20
    /// The most scans of a JPEG: each is a pass over all coefficients. Encoders write some ten of them.
    static let scanLimit = 32
    /// What a decoder needs beside coefficients and pixels, such as tables and a few rows.
    private static let overhead = 2 << 20

    /// The size of the decoded bitmap, before it is shrunk to the wanted size.
    let width: Int
    let height: Int
    /// The most bytes that are in memory at a time, without the file itself.
    let memory: Int

    /// Plans the decoding of a file that is to be shrunk to at most `width` × `height`; nil if it would take more than the
    /// limit, or is of a kind that is not decoded.
    init?(of bytes: [UInt8], _ header: ImageHeader, toFit width: Int, _ height: Int) {
        var (w, h) = (header.width, header.height)
        let decoder: Int
        var bytesPerPixel = 3
        switch header.format {
        case .jpeg:
            guard let jpeg = JPEGStructure(bytes), jpeg.scans <= Self.scanLimit else { return nil }
            var divisor = 1
            while divisor < 8, w / (2 * divisor) >= width || h / (2 * divisor) >= height { divisor *= 2 }
            (w, h) = ((w + divisor - 1) / divisor, (h + divisor - 1) / divisor)
            decoder = jpeg.coefficientBytes
            // Four inks, and the colours that they are converted to.
            if jpeg.components.count == 4 { bytesPerPixel = 4 + 3 }
        case .png:
            // Every pixel is decoded into the result, also of an interlaced or a 16-bit image.
            decoder = 0
        case .webp:
            var features = WebPBitstreamFeatures()
            guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK, features.has_animation == 0 else {
                return nil
            }
            let isLossless = features.format == 2
            // The opacity of a lossy image may itself be a lossless image, of which the opacity is a copy.
            decoder = w * h * (isLossless ? 4 : features.has_alpha != 0 ? 5 : 0)
            let scale = min(1, max(Double(2 * width) / Double(w), Double(2 * height) / Double(h)))
            (w, h) = (max(1, Int(Double(w) * scale)), max(1, Int(Double(h) * scale)))
        case .gif: return nil
        }
        self.width = w
        self.height = h
        // The rows are shrunk first, then the columns; the decoder's memory is free by then.
        let scale = min(1, Double(width) / Double(w), Double(height) / Double(h))
        let shrunkWidth = Int(Double(w) * scale) + 1
        let shrinking = scale < 1 ? 3 * (w * h + shrunkWidth * (h + Int(Double(h) * scale) + 1)) : 0
        memory = max(decoder + bytesPerPixel * w * h, shrinking) + Self.overhead
        guard memory <= Self.memoryLimit else { return nil }
    }
}

/// The frame and the scans of a JPEG, which decide how much memory and time its decoding takes.
///
/// Reads every marker of the file (ISO/IEC 10918-1, B.1); the entropy-coded data between them is skipped, not decoded.
struct JPEGStructure {
    let width: Int
    let height: Int
    /// How often each component is sampled.
    let components: [(horizontal: Int, vertical: Int)]
    /// Whether the frame is a progressive one, Huffman-coded or arithmetic.
    let isProgressive: Bool
    /// The number of scans; each is a pass over the coefficients.
    private(set) var scans = 0
    /// Whether the first scan has all components: then a sequential decoder needs a few rows at a time.
    private(set) var isInterleaved = true

    /// Reads the structure; nil for a frame that libjpeg-turbo does not decode, for two frames, and for damaged segments.
    init?(_ bytes: [UInt8]) {
        let found = bytes.withUnsafeBufferPointer { Self.read($0) }
        guard let found, found.scans > 0 else { return nil }
        self = found
    }

    /// Reads the file only up to its frame: the structure has no scans. Returns nil as ``init(_:)`` does.
    init?(frameOf bytes: [UInt8]) {
        guard let found = bytes.withUnsafeBufferPointer({ Self.read($0, onlyFrame: true) }) else { return nil }
        self = found
    }

    /// The bytes of coefficients that the decoder has in memory at once, whatever the size of the result: 2 for each sample
    /// of a component, in whole blocks, if the image comes in several scans; 0 otherwise.
    var coefficientBytes: Int {
        guard isProgressive || !isInterleaved else { return 0 }
        let maximumHorizontal = components.map(\.horizontal).max() ?? 1
        let maximumVertical = components.map(\.vertical).max() ?? 1
        return components.reduce(0) { sum, component in
            let columns = blocks(width, component.horizontal, of: maximumHorizontal)
            let rows = blocks(height, component.vertical, of: maximumVertical)
            return sum + columns * rows * 64 * 2
        }
    }

    /// The number of blocks on a side of a component, up to a whole number of its blocks in a minimum coded unit.
    private func blocks(_ side: Int, _ sampling: Int, of maximum: Int) -> Int {
        let blocks = (side * sampling + maximum * 8 - 1) / (maximum * 8)
        return (blocks + sampling - 1) / sampling * sampling
    }

    private init(width: Int, height: Int, components: [(horizontal: Int, vertical: Int)], isProgressive: Bool) {
        self.width = width
        self.height = height
        self.components = components
        self.isProgressive = isProgressive
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, onlyFrame: Bool = false) -> JPEGStructure? {
        var structure: JPEGStructure?
        var position = 2
        while position + 1 < bytes.count {
            // Entropy-coded data: 0xFF is followed by 0 there, or by the number of a restart.
            guard bytes[position] == 0xFF, !(0xD0...0xD7).contains(bytes[position + 1]), bytes[position + 1] != 0 else {
                position += 1
                continue
            }
            let marker = bytes[position + 1]
            switch marker {
            case 0xFF:  // a fill byte
                position += 1
                continue
            case 0x01, 0xD8:
                position += 2
                continue
            case 0xD9:  // the end; libjpeg reads no further
                return structure
            default: break
            }
            guard position + 3 < bytes.count else { return structure }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2, position + 2 + length <= bytes.count else { return structure }
            let segment = UnsafeBufferPointer(rebasing: bytes[position + 4..<position + 2 + length])
            switch marker {
            case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
                guard structure == nil, let frame = frame(segment, isProgressive: marker & 3 == 2) else { return nil }
                if onlyFrame { return frame }
                structure = frame
            case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF:  // lossless and hierarchical frames
                return nil
            case 0xDA:
                guard let frame = structure, let count = segment.first else { return nil }
                if frame.scans == 0 { structure?.isInterleaved = Int(count) == frame.components.count }
                structure?.scans += 1
            default: break
            }
            position += 2 + length
        }
        return structure
    }

    /// Reads a frame header (B.2.2).
    private static func frame(_ segment: UnsafeBufferPointer<UInt8>, isProgressive: Bool) -> JPEGStructure? {
        guard segment.count >= 6, segment[0] == 8, segment.count == 6 + 3 * Int(segment[5]) else { return nil }
        let components = (0..<Int(segment[5])).map { index in
            let sampling = segment[7 + 3 * index]
            return (horizontal: Int(sampling >> 4), vertical: Int(sampling & 15))
        }
        let factors = 1...4
        guard (1...4).contains(components.count),
            components.allSatisfy({ factors.contains($0.horizontal) && factors.contains($0.vertical) })
        else { return nil }
        return JPEGStructure(
            width: Int(segment[3]) << 8 | Int(segment[4]), height: Int(segment[1]) << 8 | Int(segment[2]),
            components: components, isProgressive: isProgressive)
    }
}
