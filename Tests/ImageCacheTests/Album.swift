import Foundation
import Imaging
import Networking
import Operations
import SQLite
import TestSupport

@testable import ImageCache

/// A cache over a file of its own, and a clock that only tests move.
struct Album {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    var path: String { folder.file("pictures.db") }

    /// Runs `body` with a cache over the file; what it kept is there for the next one.
    func open<Value>(
        _ limits: TieredImageCache.Limits = TieredImageCache.Limits(), allowsPrivateAddresses: Bool = true,
        _ body: (TieredImageCache) async throws -> Value
    ) async throws -> Value {
        let database = try Database.openOrRecreate(path: path, schema: TieredImageCache.schema) { _ in }
        let client = HTTPClient(retry: .never)
        let cache = TieredImageCache(
            database: database, fetch: ImageFetcher(client: client, allowsPrivateAddresses: allowsPrivateAddresses),
            limits: limits, clock: WallClock { [clock] in clock.date })
        let result: Result<Value, any Error>
        do { result = .success(try await body(cache)) } catch { result = .failure(error) }
        await client.shutdown()
        await database.close()
        return try result.get()
    }

    /// A picture of one colour.
    static func image(_ color: Color, width: Int = 400, height: Int = 600) -> [UInt8] {
        var canvas = Bitmap(width: width, height: height)
        canvas.fill(with: .color(color))
        return canvas.encodePNG()
    }

    /// A picture that does not get small by packing.
    static func noise(_ seed: Int, width: Int = 300, height: Int = 300) -> [UInt8] {
        var canvas = Bitmap(width: width, height: height)
        var state = UInt64(seed + 1)
        for y in stride(from: 0, to: height, by: 10) {
            for x in stride(from: 0, to: width, by: 10) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                canvas.fill(
                    .rectangle(x: Double(x), y: Double(y), width: 10, height: 10),
                    with: .color(Color(UInt32(state >> 40))))
            }
        }
        return canvas.encodePNG()
    }
}

extension TieredImageCache {
    /// How often pictures came from somewhere.
    func count(_ origin: Origin) -> Int { Int(counts()[origin.rawValue] ?? 0) }
}
