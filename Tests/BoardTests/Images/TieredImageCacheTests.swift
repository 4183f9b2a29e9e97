import Foundation
import Imaging
import Storage
import TestSupport
import Testing

@testable import Board

@Suite(.patience) struct TieredImageCacheTests {
    private let harness: ImageCacheHarness
    private let red = ImageCacheHarness.image(Color(0xC02040))

    init() throws {
        harness = try ImageCacheHarness()
    }

    @Test("fifty concurrent requests for one image in two sizes cause one fetch")
    func oneFlight() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await harness.open { cache in
            let images = await withTaskGroup(of: [UInt8]?.self) { tasks in
                for index in 0..<50 {
                    tasks.addTask { await cache.image(at: "\(server.url)/a", index % 2 == 0 ? .small : .large) }
                }
                return await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(images.count == 50 && !images.contains(nil))
            #expect(Set(images.compactMap { $0.flatMap(ImageHeader.read)?.width }) == [144, 400])
        }
        #expect(server.requests.count == 1)
    }

    @Test("an image is fresh for an hour; then it is revalidated with both validators, and 304 is enough")
    func revalidation() async throws {
        let server = try ScriptedServer { [red] exchange in
            if exchange.request["If-None-Match"] == "\"one\"" {
                exchange.answer(status: 304)
            } else {
                exchange.answer(
                    red, headers: ["ETag: \"one\"", "Last-Modified: Sat, 21 Nov 2026 06:00:00 GMT"])
            }
        }
        try await harness.open { cache in
            let first = await cache.image(at: server.url, .small)
            harness.clock.advance(by: .seconds(3_500))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(server.requests.count == 1)
            harness.clock.advance(by: .seconds(200))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(server.requests.count == 2)
            #expect(server.requests.last?["If-Modified-Since"] == "Sat, 21 Nov 2026 06:00:00 GMT")
            // The 304 counts for all sizes, and for another hour.
            harness.clock.advance(by: .seconds(3_500))
            #expect(await cache.image(at: server.url, .full) != nil)
            #expect(server.requests.count == 2)
            #expect(await cache.count(.unchanged) == 1)
        }
    }

    @Test("an image that has changed replaces the old one in every size")
    func change() async throws {
        let other = ImageCacheHarness.image(Color(0x2040C0))
        let server = try ScriptedServer { [red] exchange in
            exchange.answer(exchange.number == 1 ? red : other, headers: ["ETag: \"\(exchange.number)\""])
        }
        try await harness.open { cache in
            let old = [await cache.image(at: server.url, .small), await cache.image(at: server.url, .large)]
            harness.clock.advance(by: .seconds(4_000))
            let new = [await cache.image(at: server.url, .large), await cache.image(at: server.url, .small)]
            #expect(Set(old).isDisjoint(with: new) && !new.contains(nil))
            #expect(server.requests.count == 2)
        }
    }

    @Test("a fresh image from before a known change is not returned")
    func knownChange() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await harness.open { cache in
            _ = await cache.image(at: server.url, .small)
            harness.clock.advance(by: .seconds(60))
            _ = await cache.image(at: server.url, .small, changedAt: harness.clock.date - 30)
            #expect(server.requests.count == 2)
            _ = await cache.image(at: server.url, .small, changedAt: harness.clock.date - 30)
            // A change in the future does not cause a fetch each time.
            _ = await cache.image(at: server.url, .small, changedAt: harness.clock.date + 60)
            #expect(server.requests.count == 2)
        }
    }

    @Test("images on disk and their validators survive a restart")
    func restart() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.request["If-None-Match"] == nil
                ? exchange.answer(red, headers: ["ETag: \"one\""]) : exchange.answer(status: 304)
        }
        let first = try await harness.open { await $0.image(at: server.url, .large) }
        try await harness.open { cache in
            #expect(await cache.image(at: server.url, .large) == first)
            #expect(await cache.image(at: server.url, .small) != nil)
            #expect(await cache.count(.disk) == 2)
        }
        #expect(server.requests.count == 1)
        harness.clock.advance(by: .seconds(4_000))
        #expect(try await harness.open { await $0.image(at: server.url, .large) } == first)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?["If-None-Match"] == "\"one\"")
    }

    @Test("an image that was damaged or deleted on disk is fetched again")
    func damagedImage() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red, headers: ["ETag: \"one\""]) }
        let first = try await harness.open { await $0.image(at: server.url, .small) }
        let damages: [StaticString] = ["update image set bytes = zeroblob(length(bytes))", "delete from image"]
        for damage in damages {
            let database = try Database(path: harness.path, schema: DiskImageCache.schema)
            try await database.write { try $0.execute(damage) }
            await database.close()
            #expect(try await harness.open { await $0.image(at: server.url, .small) } == first)
        }
        #expect(server.requests.count == 3)
        // A damaged image is not revalidated: after a 304 there would be no image.
        #expect(server.requests.allSatisfy { $0["If-None-Match"] == nil })
    }

    @Test("a file that is missing or not a database is created again", arguments: [true, false])
    func damagedFile(isThere: Bool) async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        let first = try await harness.open { await $0.image(at: server.url, .small) }
        try FileManager.default.removeItem(atPath: harness.path)
        if isThere { try Data(repeating: 0xAB, count: 9_000).write(to: URL(filePath: harness.path)) }
        #expect(try await harness.open { await $0.image(at: server.url, .small) } == first)
        #expect(server.requests.count == 2)
    }

    @Test("memory and disk keep to their limits and remove the least recently used images first")
    func bounds() async throws {
        let files = (0..<6).map { ImageCacheHarness.noise($0) }
        let server = try ScriptedServer { exchange in
            exchange.answer(files[Int(exchange.request.target.dropFirst()) ?? 0])
        }
        let size = try await harness.open { cache in
            _ = await cache.image(at: "\(server.url)/0", .full)
            return try await cache.sizes()["disk"] ?? 0
        }
        var limits = TieredImageCache.Limits()
        limits.memory = Int(size * 2.5)
        limits.disk = Int(size * 4.5)
        let roomy = limits
        try await harness.open(roomy) { cache in
            for number in [1, 2, 3] {
                harness.clock.advance(by: .seconds(1))
                _ = await cache.image(at: "\(server.url)/\(number)", .full)
            }
            harness.clock.advance(by: .seconds(1))
            _ = await cache.image(at: "\(server.url)/0", .full)  // from disk: used after the others
            harness.clock.advance(by: .seconds(1))
            _ = await cache.image(at: "\(server.url)/4", .full)  // the fifth, so number 1 is removed
            let sizes = try await cache.sizes()
            #expect(sizes["memory"] ?? 0 <= Double(roomy.memory) && sizes["disk"] ?? 0 <= Double(roomy.disk))
            #expect(server.requests.map(\.target) == ["/0", "/1", "/2", "/3", "/4"])
            for number in [0, 2, 3, 4] { _ = await cache.image(at: "\(server.url)/\(number)", .full) }
            #expect(server.requests.count == 5)
            _ = await cache.image(at: "\(server.url)/1", .full)
            #expect(server.requests.last?.target == "/1" && server.requests.count == 6)
        }
    }
}
