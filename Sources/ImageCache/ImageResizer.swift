import Imaging

/// Makes pictures small, one at a time: each may take tens of megabytes while it is decoded.
actor ImageResizer {
    /// The file as a JPEG of ours in a size; nil for what is no picture, is broken, or would take too much memory.
    func develop(_ file: [UInt8], _ size: ImageSize) -> [UInt8]? {
        Bitmap(decoding: file, toFit: size.box.width, size.box.height)?.encodeJPEG(quality: size.quality)
    }
}
