import Foundation
import Imaging
import Networking
import ServiceRuntime
import Storage
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
        _ limits: TieredImageCache.Limits = TieredImageCache.Limits(), allowsPrivateAddresses: Bool = true,
        decoder: ImageDecoder = ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120)),
        _ body: (TieredImageCache) async throws -> Value
    ) async throws -> Value {
        let database = try Database.openOrRecreate(path: path, schema: DiskImageCache.schema) { _ in }
        let client = HTTPClient(
            limits: ImageFetcher.limits(memory: 16 << 20),
            retry: RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600)))
        let cache = TieredImageCache(
            database: database,
            fetcher: ImageFetcher(
                client: client, allowsPrivateAddresses: allowsPrivateAddresses, deadline: .seconds(3_600)),
            decoder: decoder, limits: limits, wallClock: WallClock { [clock] in clock.date })
        let result: Result<Value, any Error>
        do { result = .success(try await body(cache)) } catch { result = .failure(error) }
        await client.shutdown()
        await database.close()
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

extension TieredImageCache {
    /// Returns the number of images that came from an origin.
    func count(_ origin: CacheTier) -> Int { Int(counts()[origin.rawValue] ?? 0) }
}
