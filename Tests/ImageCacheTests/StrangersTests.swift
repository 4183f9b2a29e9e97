import Foundation
import Imaging
import TestSupport
import Testing

@testable import ImageCache

/// What strangers' hosts send.
@Suite(.timeLimit(.minutes(5))) struct StrangersTests {
    private let album: Album
    private let red = Album.image(Color(0xC02040))

    init() throws {
        album = try Album()
    }

    @Test("what is no picture by its bytes, is cut off, or would take too much memory, is none")
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
        try await album.open { cache in
            for index in files.indices {
                #expect(await cache.image(at: "\(server.url)/\(index)", .small) == nil, "\(index)")
            }
            #expect(await cache.count(.nowhere) == files.count)
            let sizes = try await cache.sizes()
            #expect(sizes == ["memory": 0, "disk": 0])
        }
    }

    @Test("an answer of more than 10 MB is not taken")
    func tooLarge() async throws {
        let server = try ScriptedServer { exchange in
            exchange.answer([UInt8](repeating: 0, count: 10 << 20 | 1))
        }
        try await album.open { cache in
            #expect(await cache.image(at: server.url, .small) == nil)
        }
    }

    @Test("an address of this machine, and one that leads to no web, is not visited unless that is allowed")
    func privateAddresses() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        try await album.open(allowsPrivateAddresses: false) { cache in
            let port = server.url.split(separator: ":").last ?? ""
            for url in [server.url, "http://localhost:\(port)/", "http://[::1]:\(port)/", "file:///etc/passwd", "x"] {
                #expect(await cache.image(at: url, .small) == nil, "\(url)")
            }
        }
        #expect(server.connections == 0)
    }

    @Test("a host without a picture is left alone for ten minutes, unless the picture is known to have changed")
    func failures() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.number < 3 ? exchange.answer(status: 404) : exchange.answer(red)
        }
        try await album.open { cache in
            #expect(await cache.image(at: server.url, .small) == nil)
            #expect(await cache.image(at: server.url, .large) == nil)
            #expect(server.requests.count == 1)
            album.clock.advance(by: .seconds(10))
            #expect(await cache.image(at: server.url, .large, changedAt: album.clock.date) == nil)
            #expect(server.requests.count == 2)
            album.clock.advance(by: .seconds(601))
            #expect(await cache.image(at: server.url, .small) != nil)
        }
    }

    @Test("where a picture can no longer be had, the old one is shown")
    func stale() async throws {
        let server = try ScriptedServer { [red] exchange in
            exchange.number == 1 ? exchange.answer(red) : exchange.answer("<html>", status: 503)
        }
        try await album.open { cache in
            let first = await cache.image(at: server.url, .small)
            album.clock.advance(by: .seconds(90_000))
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(await cache.image(at: server.url, .small) == first)
            #expect(server.requests.count == 2)
        }
    }

    @Test("what is sent to browsers is our own JPEG, without a byte of the stranger's file")
    func reencoded() async throws {
        var canvas = Bitmap(width: 100, height: 100)
        canvas.fill(with: .color(Color(0x20A040)))
        let file = canvas.encodeJPEG() + Array("<script>alert(1)</script>".utf8)
        let server = try ScriptedServer { exchange in exchange.answer(file) }
        try await album.open { cache in
            let image = try #require(await cache.image(at: server.url, .full))
            #expect(ImageHeader.read(image)?.format == .jpeg)
            #expect(!String(decoding: image, as: UTF8.self).contains("script"))
        }
    }

    /// The beginning of a PNG that claims a size.
    private static func png(width: UInt32, height: UInt32) -> [UInt8] {
        var bytes = Array(Album.image(Color(0), width: 10, height: 10))
        bytes.replaceSubrange(16..<20, with: withUnsafeBytes(of: width.bigEndian, Array.init))
        bytes.replaceSubrange(20..<24, with: withUnsafeBytes(of: height.bigEndian, Array.init))
        return bytes
    }
}
