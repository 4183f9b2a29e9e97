import Foundation
import Imaging

/// A small valid image of each format.
enum Sample: String, CaseIterable {
    case jpeg
    case png
    case gif
    case webpLossy
    case webpLossless
    case webpExtended

    var bytes: [UInt8] {
        switch self {
        case .jpeg: Bitmap(width: 40, height: 30).encodeJPEG()
        case .png: Bitmap(width: 40, height: 30).encodePNG()
        // One pixel each: marquee does not encode these formats.
        case .gif: decoded("R0lGODlhAQABAAAAACw=")
        case .webpLossy: decoded("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
        case .webpLossless: decoded("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
        case .webpExtended:
            decoded(
                "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3A"
                    + "AP7mtQAAAA==")
        }
    }

    private func decoded(_ base64: String) -> [UInt8] {
        Data(base64Encoded: base64).map(Array.init) ?? []
    }
}
