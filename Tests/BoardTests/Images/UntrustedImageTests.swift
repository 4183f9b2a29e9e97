import Foundation
import Imaging
import TestSupport
import Testing

@testable import Board

/// Responses of untrusted hosts.
@Suite(.patience) struct UntrustedImageTests {
    private let harness: ImageCacheHarness
    private let red = ImageCacheHarness.image(Color(0xC02040))

    init() throws {
        harness = try ImageCacheHarness()
    }

    @Test("a file that is not an image, is truncated, or would take too much memory gives no image")
    func noImages() async throws {
        let bomb = Self.png(width: 16_000, height: 16_000)
        let files: [[UInt8]] = [
            Array("<html><script>alert(1)</script>".utf8), Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            [], red.dropLast(40), bomb,
        ]
        let server = try ScriptedServer { exchange in
            let index = Int(exchange.request.target.dropFirst()) ?? 0
            exchange.answer(files[index], headers: ["Content-Type: image/png"])
        }
        try await harness.open { cache in
            for index in files.indices {
                #expect(await cache.image(at: "\(server.url)/\(index)", .small) == nil, "\(index)")
            }
            #expect(await cache.count(.nowhere) == files.count)
            let kept = try await cache.byteCount()
            #expect(kept == 0)
        }
    }

    @Test("a refused image is fetched and decoded once in ten minutes")
    func remembered() async throws {
        let bomb = CraftedJPEG.progressive(width: 6_300, height: 6_300)
        let server = try ScriptedServer { exchange in exchange.answer(bomb, headers: ["Content-Type: image/jpeg"]) }
        try await harness.open { cache in
            for size in ImageSize.allCases { #expect(await cache.image(at: server.url, size) == nil) }
            #expect(server.requests.count == 1)
            harness.clock.advance(by: .seconds(601))
            #expect(await cache.image(at: server.url, .small) == nil)
            #expect(server.requests.count == 2)
        }
    }

    @Test("an earlier image stays where a new one is refused")
    func earlier() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.number == 1 ? exchange.answer(red) : exchange.answer(Array("<html>".utf8))
        }
        try await harness.open { cache in
            let first = await cache.image(at: server.url, .small)
            harness.clock.advance(by: .seconds(86_401))
            #expect(await cache.image(at: server.url, .small) == first)
            harness.clock.advance(by: .seconds(500))
            #expect(await cache.image(at: server.url, .large) != nil)
            #expect(server.requests.count == 2)
        }
    }

    @Test("an image whose decoder cannot be started is reported, and tried again after ten minutes")
    func missingDecoder() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await harness.open(decoder: ImageDecoder(program: "/nonexistent/marquee")) { cache in
            #expect(await cache.image(at: server.url, .small) == nil)
        }
        harness.clock.advance(by: .seconds(601))
        try await harness.open { cache in
            #expect(await cache.image(at: server.url, .small) != nil)
        }
    }

    @Test("a response of more than 10 MB is refused")
    func tooLarge() async throws {
        let server = try ScriptedServer { exchange in
            exchange.answer([UInt8](repeating: 0, count: 10 << 20 | 1))
        }
        try await harness.open { cache in
            #expect(await cache.image(at: server.url, .small) == nil)
        }
    }

    @Test("private addresses and other schemes than HTTP are not fetched unless they are allowed")
    func privateAddresses() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await harness.open(allowsPrivateAddresses: false) { cache in
            let port = server.url.split(separator: ":").last ?? ""
            for url in [server.url, "http://localhost:\(port)/", "http://[::1]:\(port)/", "file:///etc/passwd", "x"] {
                #expect(await cache.image(at: url, .small) == nil, "\(url)")
            }
        }
        #expect(server.connections == 0)
    }

    @Test("a URL without an image is not fetched again for ten minutes, unless the image is known to have changed")
    func failures() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.number < 3 ? exchange.answer(status: 404) : exchange.answer(red)
        }
        try await harness.open { cache in
            #expect(await cache.image(at: server.url, .small) == nil)
            #expect(await cache.image(at: server.url, .large) == nil)
            #expect(server.requests.count == 1)
            harness.clock.advance(by: .seconds(10))
            #expect(await cache.image(at: server.url, .large, changedAt: harness.clock.date) == nil)
            #expect(server.requests.count == 2)
            harness.clock.advance(by: .seconds(601))
            #expect(await cache.image(at: server.url, .small) != nil)
        }
    }

    @Test("if a fetch fails, the old image is returned")
    func stale() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.number == 1 ? exchange.answer(red) : exchange.answer("<html>", status: 503)
        }
        try await harness.open { cache in
            let first = await cache.image(at: server.url, .small)
            harness.clock.advance(by: .seconds(90_000))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(server.requests.count == 2)
        }
    }

    @Test("the image is a newly encoded JPEG without a byte of the original file")
    func reencoded() async throws {
        let file =
            Bitmap(width: 100, height: 100) { _, _ in Color(0x20A040) }.encodeJPEG()
            + Array("<script>alert(1)</script>".utf8)
        let server = try ScriptedServer { exchange in exchange.answer(file) }
        try await harness.open { cache in
            let image = try #require(await cache.image(at: server.url, .full))
            #expect(ImageHeader.read(image)?.format == .jpeg)
            #expect(!String(decoding: image, as: UTF8.self).contains("script"))
        }
    }

    /// Returns a PNG whose header claims a size.
    private static func png(width: UInt32, height: UInt32) -> [UInt8] {
        var bytes = Array(ImageCacheHarness.image(Color(0), width: 10, height: 10))
        bytes.replaceSubrange(16..<20, with: withUnsafeBytes(of: width.bigEndian, Array.init))
        bytes.replaceSubrange(20..<24, with: withUnsafeBytes(of: height.bigEndian, Array.init))
        return bytes
    }
}
