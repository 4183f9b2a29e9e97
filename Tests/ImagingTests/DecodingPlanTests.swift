import TestSupport
import Testing

@testable import Imaging

/// Files of some hundred kilobytes that a decoder needs hundreds of megabytes, or seconds, for.
@Suite(.ownThread) struct DecodingPlanTests {
    private static func plan(_ bytes: [UInt8], _ width: Int, _ height: Int) -> DecodingPlan? {
        ImageHeader.read(bytes).flatMap { DecodingPlan(of: bytes, $0, toFit: width, height) }
    }

    @Test("a JPEG whose coefficients would take more than 64 MB is refused before a decoder begins")
    func coefficients() {
        let bombs = [
            CraftedJPEG.progressive(width: 6_300, height: 6_300),
            CraftedJPEG.progressive(width: 6_300, height: 6_300, components: 4),
            CraftedJPEG.progressive(width: 6_300, height: 6_300, sampling: (2, 2)),
            CraftedJPEG.sequentialInScans(width: 6_300, height: 6_300),
        ]
        for (index, bomb) in bombs.enumerated() {
            #expect(ImageHeader.read(bomb)?.width == 6_300)
            #expect(Bitmap(decoding: bomb, toFit: 144, 216) == nil, "\(index)")
        }
    }

    @Test("a JPEG of more than 32 scans is refused")
    func scans() {
        let most = CraftedJPEG.progressive(width: 80, height: 80, extraScans: 31)
        #expect(Bitmap(decoding: most, toFit: 40, 40)?.width == 40)
        let more = CraftedJPEG.progressive(width: 80, height: 80, extraScans: 32)
        #expect(Bitmap(decoding: more, toFit: 40, 40) == nil)
    }

    @Test("a camera's progressive JPEG of 12 million pixels is decoded for the largest size")
    func camera() {
        let bytes = CraftedJPEG.progressive(width: 4_000, height: 3_000, sampling: (2, 2))
        let bitmap = Bitmap(decoding: bytes, toFit: 1_600, 1_600)
        #expect(bitmap?.width == 1_600 && bitmap?.height == 1_200)
    }

    @Test("coefficients are counted in whole blocks of each component, as its sampling has it")
    func counting() throws {
        let jpeg = try #require(
            JPEGStructure(CraftedJPEG.progressive(width: 17, height: 9, sampling: (2, 2), extraScans: 2)))
        // 4 × 2 blocks of the first component, 2 × 1 of each of the others.
        #expect(jpeg.coefficientBytes == (8 + 2 + 2) * 64 * 2)
        #expect(jpeg.scans == 3 && jpeg.isInterleaved)
        #expect(try #require(JPEGStructure(Bitmap(width: 17, height: 9).encodeJPEG())).coefficientBytes == 0)
    }

    @Test("a JPEG of one scan and a PNG are measured by their pixels")
    func pixels() throws {
        let jpeg = Bitmap(width: 4_000, height: 4_000).encodeJPEG()
        let small = try #require(Self.plan(jpeg, 144, 216))
        #expect(small.width == 500 && small.memory < 4 << 20)
        // Decoded in full, with the rows of the shrunk size beside it.
        let png = Bitmap(width: 4_000, height: 4_000).encodePNG()
        #expect(try #require(Self.plan(png, 144, 216)).memory > 3 * 4_000 * 4_000)
        #expect(Self.plan(Bitmap(width: 5_000, height: 5_000).encodePNG(), 144, 216) == nil)
    }

    @Test("a second frame, and a frame that no decoder here reads, are refused")
    func frames() {
        let bytes = CraftedJPEG.progressive(width: 16, height: 16)
        let frame = Array(bytes[71..<90])
        #expect(frame.prefix(2) == [0xFF, 0xC2])
        #expect(Self.plan(Array(bytes.prefix(90)) + frame + bytes.dropFirst(90), 16, 16) == nil)
        for marker: UInt8 in [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] {
            var other = bytes
            other[72] = marker
            #expect(Self.plan(other, 16, 16) == nil, "\(marker)")
        }
    }
}
