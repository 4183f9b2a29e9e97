import Foundation
import Imaging
import SQLite
import TestSupport
import Testing

@testable import ImageCache

@Suite(.timeLimit(.minutes(5))) struct TieredImageCacheTests {
    private let album: Album
    private let red = Album.image(Color(0xC02040))

    init() throws {
        album = try Album()
    }

    @Test("fifty who ask for one picture at once cause one fetch, in whatever sizes")
    func oneFlight() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await album.open { cache in
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

    @Test("within an hour a picture is believed; then its host is asked with both validators, and 304 is enough")
    func revalidation() async throws {
        let server = try ScriptedServer { [red] exchange in
            if exchange.request["If-None-Match"] == "\"one\"" {
                exchange.answer(status: 304)
            } else {
                exchange.answer(
                    red, headers: ["ETag: \"one\"", "Last-Modified: Sat, 21 Nov 2026 06:00:00 GMT"])
            }
        }
        try await album.open { cache in
            let first = await cache.image(at: server.url, .small)
            album.clock.advance(by: .seconds(3_500))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(server.requests.count == 1)
            album.clock.advance(by: .seconds(200))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(server.requests.count == 2)
            #expect(server.requests.last?["If-Modified-Since"] == "Sat, 21 Nov 2026 06:00:00 GMT")
            // The empty answer counts for all sizes, and for another hour.
            album.clock.advance(by: .seconds(3_500))
            #expect(await cache.image(at: server.url, .full) != nil)
            #expect(server.requests.count == 2)
            #expect(await cache.count(.unchanged) == 1)
        }
    }

    @Test("a picture that has changed takes the place of the old one in every size")
    func change() async throws {
        let other = Album.image(Color(0x2040C0))
        let server = try ScriptedServer { [red] exchange in
            exchange.answer(exchange.number == 1 ? red : other, headers: ["ETag: \"\(exchange.number)\""])
        }
        try await album.open { cache in
            let old = [await cache.image(at: server.url, .small), await cache.image(at: server.url, .large)]
            album.clock.advance(by: .seconds(4_000))
            let new = [await cache.image(at: server.url, .large), await cache.image(at: server.url, .small)]
            #expect(Set(old).isDisjoint(with: new) && !new.contains(nil))
            #expect(server.requests.count == 2)
        }
    }

    @Test("who knows that a picture has changed is not given one from before that, though it is fresh")
    func knownChange() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await album.open { cache in
            _ = await cache.image(at: server.url, .small)
            album.clock.advance(by: .seconds(60))
            _ = await cache.image(at: server.url, .small, changedAt: album.clock.date - 30)
            #expect(server.requests.count == 2)
            _ = await cache.image(at: server.url, .small, changedAt: album.clock.date - 30)
            // A change that lies ahead of our clock does not make us ask for ever.
            _ = await cache.image(at: server.url, .small, changedAt: album.clock.date + 60)
            #expect(server.requests.count == 2)
        }
    }

    @Test("a restart keeps what is on disk, and what it can be asked for with")
    func restart() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.request["If-None-Match"] == nil
                ? exchange.answer(red, headers: ["ETag: \"one\""]) : exchange.answer(status: 304)
        }
        let first = try await album.open { await $0.image(at: server.url, .large) }
        try await album.open { cache in
            #expect(await cache.image(at: server.url, .large) == first)
            #expect(await cache.image(at: server.url, .small) != nil)
            #expect(await cache.count(.disk) == 2)
        }
        #expect(server.requests.count == 1)
        album.clock.advance(by: .seconds(4_000))
        #expect(try await album.open { await $0.image(at: server.url, .large) } == first)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?["If-None-Match"] == "\"one\"")
    }

    @Test("a picture whose bytes have changed on disk is fetched anew, and one that was deleted too")
    func damagedImage() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red, headers: ["ETag: \"one\""]) }
        let first = try await album.open { await $0.image(at: server.url, .small) }
        let damages: [StaticString] = ["update picture set bytes = zeroblob(length(bytes))", "delete from picture"]
        for damage in damages {
            let database = try Database(path: album.path, schema: TieredImageCache.schema)
            try await database.write { try $0.execute(damage) }
            await database.close()
            #expect(try await album.open { await $0.image(at: server.url, .small) } == first)
        }
        #expect(server.requests.count == 3)
        // What is damaged is not asked for with its validators: 304 would leave us without it.
        #expect(server.requests.allSatisfy { $0["If-None-Match"] == nil })
    }

    @Test("a file that is no database, or is gone, is made anew", arguments: [true, false])
    func damagedFile(isThere: Bool) async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        let first = try await album.open { await $0.image(at: server.url, .small) }
        try FileManager.default.removeItem(atPath: album.path)
        if isThere { try Data(repeating: 0xAB, count: 9_000).write(to: URL(filePath: album.path)) }
        #expect(try await album.open { await $0.image(at: server.url, .small) } == first)
        #expect(server.requests.count == 2)
    }

    @Test("memory and disk hold no more than they may; what was used longest ago goes first")
    func bounds() async throws {
        let files = (0..<6).map { Album.noise($0) }
        let server = try ScriptedServer { exchange in
            exchange.answer(files[Int(exchange.request.target.dropFirst()) ?? 0])
        }
        let size = try await album.open { cache in
            _ = await cache.image(at: "\(server.url)/0", .full)
            return try await cache.sizes()["disk"] ?? 0
        }
        var limits = TieredImageCache.Limits()
        limits.memory = Int(size * 2.5)
        limits.disk = Int(size * 4.5)
        let roomy = limits
        try await album.open(roomy) { cache in
            for number in [1, 2, 3] {
                album.clock.advance(by: .seconds(1))
                _ = await cache.image(at: "\(server.url)/\(number)", .full)
            }
            album.clock.advance(by: .seconds(1))
            _ = await cache.image(at: "\(server.url)/0", .full)  // from disk: used after the others
            album.clock.advance(by: .seconds(1))
            _ = await cache.image(at: "\(server.url)/4", .full)  // makes the fifth, so the one of 1 has to go
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
