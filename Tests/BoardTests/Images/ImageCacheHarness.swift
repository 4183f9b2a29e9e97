import Foundation
import Imaging
import ServiceRuntime
import TestSupport

@testable import Board

/// A cache with a database in a temporary folder, and a clock that only tests advance.
struct ImageCacheHarness {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    var path: String { folder.file("images.db") }

    /// Runs `body` with a cache over the file; the next cache finds the images that it stored.
    func open<Value>(
        _ limits: ImageCache.Limits = ImageCache.Limits(), allowsPrivateAddresses: Bool = true,
        decoder: ImageDecoder = ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120)),
        _ body: (ImageCache) async throws -> Value
    ) async throws -> Value {
        let cache = try ImageCache(
            path,
            fetcher: ImageFetcher(
                client: ImageFetcher.makeClient(memory: 16 << 20, timeout: .seconds(3_600)),
                allowsPrivateAddresses: allowsPrivateAddresses, deadline: .seconds(3_600)),
            decoder: decoder, limits: limits, wallClock: WallClock { [clock] in clock.date },
            logger: Logger(label: "test", wallClock: .system) { _ in })
        let result: Result<Value, any Error>
        do { result = .success(try await body(cache)) } catch { result = .failure(error) }
        await cache.close()
        return try result.get()
    }

    /// Returns a PNG of one colour.
    static func image(_ color: Color, width: Int = 400, height: Int = 600) -> [UInt8] {
        Bitmap(width: width, height: height) { _, _ in color }.encodePNG()
    }

    /// Returns a PNG that does not compress well.
    static func noise(_ seed: Int, width: Int = 300, height: Int = 300) -> [UInt8] {
        var state = UInt64(seed + 1)
        return Bitmap(width: width, height: height) { _, _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Color(UInt32(state >> 40))
        }.encodePNG()
    }
}
