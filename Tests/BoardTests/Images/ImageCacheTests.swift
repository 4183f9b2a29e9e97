import Foundation
import Imaging
import Storage
import TestSupport
import Testing

@testable import Board

@Suite(.patience) struct ImageCacheTests {
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

    @Test("an image is kept for a day, in every size; then it is fetched again")
    func freshness() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await harness.open { cache in
            let first = await cache.image(at: server.url, .small)
            harness.clock.advance(by: .seconds(86_300))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(await cache.image(at: server.url, .full) != nil)
            #expect(server.requests.count == 1)
            harness.clock.advance(by: .seconds(200))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(await cache.image(at: server.url, .full) != nil)
            #expect(server.requests.count == 2)
            #expect(await cache.count(.fetched) == 2)
        }
    }

    @Test("an image that has changed replaces the old one in every size")
    func change() async throws {
        let other = ImageCacheHarness.image(Color(0x2040C0))
        let server = try ScriptedServer { [red] exchange in
            exchange.answer(exchange.number == 1 ? red : other)
        }
        try await harness.open { cache in
            let old = [await cache.image(at: server.url, .small), await cache.image(at: server.url, .large)]
            harness.clock.advance(by: .seconds(90_000))
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

    @Test("images on disk survive a restart")
    func restart() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        let first = try await harness.open { await $0.image(at: server.url, .large) }
        try await harness.open { cache in
            #expect(await cache.image(at: server.url, .large) == first)
            #expect(await cache.image(at: server.url, .small) != nil)
            #expect(await cache.count(.disk) == 2)
        }
        #expect(server.requests.count == 1)
    }

    @Test("an image that was deleted on disk is fetched again")
    func deletedImage() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        let first = try await harness.open { await $0.image(at: server.url, .small) }
        let database = try Database(path: harness.path, schema: ImageCache.schema)
        try await database.write { try $0.execute("delete from image") }
        await database.close()
        #expect(try await harness.open { await $0.image(at: server.url, .small) } == first)
        #expect(server.requests.count == 2)
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

    @Test("the disk keeps to its limit and the oldest images are removed first")
    func bounds() async throws {
        let files = (0..<6).map { ImageCacheHarness.noise($0) }
        let server = try ScriptedServer { exchange in
            exchange.answer(files[Int(exchange.request.target.dropFirst()) ?? 0])
        }
        let size = try await harness.open { cache in
            _ = await cache.image(at: "\(server.url)/0", .full)
            return try await cache.byteCount()
        }
        let limits = ImageCache.Limits(disk: size * 9 / 2)
        try await harness.open(limits) { cache in
            for number in 1...4 {
                harness.clock.advance(by: .seconds(1))
                _ = await cache.image(at: "\(server.url)/\(number)", .full)
            }
            // The fifth, so number 0 is removed.
            let kept = try await cache.byteCount()
            #expect(kept <= limits.disk)
            for number in 1...4 { _ = await cache.image(at: "\(server.url)/\(number)", .full) }
            #expect(server.requests.map(\.target) == ["/0", "/1", "/2", "/3", "/4"])
            _ = await cache.image(at: "\(server.url)/0", .full)
            #expect(server.requests.last?.target == "/0" && server.requests.count == 6)
        }
    }
}
