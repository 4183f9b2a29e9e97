import Foundation
import Imaging
import TestSupport
import Testing
import WebServer

@testable import Sandbox

private let noon = Date(timeIntervalSince1970: 1_717_556_400)  // 2024-06-05 12:00 in Korea
private let image = Bitmap(width: 8, height: 8).encodeJPEG()

/// Returns the multipart body of a registration.
private func form(
    description: String = "descriptions", secret: String = SandboxOptions.anyOpenMarketSecret, images: Int = 1
) -> [UInt8] {
    let params =
        #"{"name":"외투","\#(description)":"따뜻한 외투","price":999.99,"currency":"USD","secret":"\#(secret)"}"#
    var body = Array("--x\r\nContent-Disposition: form-data; name=\"params\"\r\n\r\n\(params)\r\n".utf8)
    for number in 0..<images {
        body += "--x\r\nContent-Disposition: form-data; name=\"images\"; filename=\"\(number).jpg\"\r\n\r\n".utf8
        body += image + Array("\r\n".utf8)
    }
    return body + Array("--x--\r\n".utf8)
}

private struct OpenMarketClient {
    let router: SandboxRouter
    var identifier = SandboxOptions.anyOpenMarketIdentifier

    init(_ faults: String...) throws {
        var options = SandboxOptions()
        for fault in faults { try options.faults.set(fault) }
        router = try SandboxRouter(options: options, now: { noon })
    }

    func send(
        _ method: String, _ path: String, _ query: (String, String)..., body: [UInt8] = [],
        type: String = "application/json"
    ) async -> WebResponse {
        await router.respond(
            to:
                WebRequest(
                    method: method, path: "/openmarket/\(path)", query: query.map { (name: $0.0, value: $0.1) },
                    headers: [("identifier", identifier), ("Content-Type", type), ("Host", "market:1")], body: body))
    }

    func register(_ body: [UInt8]) async -> WebResponse {
        await send("POST", "v3/api/products", body: body, type: "multipart/form-data; boundary=x")
    }
}

extension WebResponse {
    fileprivate var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes), .truncated(let bytes, _): bytes
        case .shared(let shared): shared.bytes
        case .streaming: []
        }
    }

    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }

    fileprivate func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    fileprivate func ids() throws -> [Int] {
        try #require(try json()["pages"] as? [[String: Any]]).compactMap { $0["id"] as? Int }
    }
}

struct OpenMarketRouteTests {
    private let secret = Array(#"{"secret":"\#(SandboxOptions.anyOpenMarketSecret)"}"#.utf8)

    @Test("pages do not overlap, and a page past the last has no body")
    func pages() async throws {
        let market = try OpenMarketClient()
        var ids: [Int] = []
        for page in 1...3 {
            let response = await market.send(
                "GET", "v3/api/products", ("page_no", "\(page)"), ("items_per_page", "20"))
            ids += try response.ids()
            #expect(try response.json()["last_page"] as? Int == 3)
        }
        #expect(ids == ids.sorted(by: >) && Set(ids).count == 45)
        let beyond = await market.send("GET", "v3/api/products", ("page_no", "4"), ("items_per_page", "20"))
        #expect(beyond.status == 204 && beyond.bytes.isEmpty)
    }

    @Test("a product is registered, changed and removed")
    func life() async throws {
        let market = try OpenMarketClient()
        let registered = await market.register(form(images: 2))
        #expect(registered.status == 201)
        let id = try #require(try registered.json()["id"] as? Int)
        #expect(registered.text.contains(#""price":999.99"#))
        #expect(try registered.json()["created_at"] as? String == "2024-06-05T12:00:00.00")
        let images = try #require(try registered.json()["images"] as? [[String: Any]])
        #expect(images.count == 2)
        let address = try #require(images[0]["url"] as? String)
        let path = try #require(address.split(separator: "/openmarket/").last)
        #expect(await market.send("GET", String(path)).bytes == image)

        let change = Array(#"{"stock":7,"secret":"\#(SandboxOptions.anyOpenMarketSecret)"}"#.utf8)
        #expect(try await market.send("PATCH", "v3/api/products/\(id)", body: change).json()["stock"] as? Int == 7)
        #expect(await market.send("PATCH", "v3/api/products/\(id)", body: secret).status == 200)

        let key = await market.send("POST", "v3/api/products/\(id)/secret", body: secret).text
        let removal = "v3/api/products/\(id)/\(key)"
        #expect(await market.send("DELETE", "\(removal)x").status == 401)
        #expect(await market.send("DELETE", removal).status == 200)
        #expect(await market.send("GET", "v3/api/products/\(id)").status == 404)
        #expect(await market.send("GET", String(path)).status == 404)
    }

    @Test("a wrong secret, a foreign product and an unknown identifier are rejected")
    func rejections() async throws {
        var market = try OpenMarketClient()
        #expect(await market.register(form(secret: "wrong")).status == 401)
        #expect(await market.register(form(description: "description")).status == 400)
        #expect(await market.register(form(images: 0)).text.contains("'images' is not present"))
        #expect(await market.register(form(images: 6)).status == 400)
        #expect(await market.register(Array("--x".utf8)).text.contains("Failed to parse multipart"))
        let own = try #require(try await market.register(form()).json()["id"] as? Int)
        market.identifier = SimulatedShop.vendors[1].identifier
        #expect(await market.send("PATCH", "v3/api/products/\(own)", body: secret).status == 403)
        market.identifier = "nobody"
        #expect(await market.send("PATCH", "v3/api/products/\(own)", body: secret).status == 401)
        #expect(await market.register(form()).status == 401)
    }

    @Test("the counted paths do not contain the secret of a removal")
    func countedPaths() async throws {
        let market = try OpenMarketClient()
        _ = await market.send("DELETE", "v3/api/products/1/very-secret")
        let control = await market.router.respond(to: WebRequest(path: "/control"))
        #expect(control.text.contains("/openmarket/v3/api/products/1/***"))
        #expect(!control.text.contains("very-secret"))
    }

    @Test("faults can be injected as in the other services")
    func faults() async throws {
        #expect(await (try OpenMarketClient("openmarket.errors.503=1")).send("GET", "v3/api/products").status == 503)
        #expect(
            await (try OpenMarketClient("openmarket.notice=1")).send("GET", "v3/api/products").text.contains(
                "<html"))
        #expect(await (try OpenMarketClient("openmarket.faults.403=1")).send("GET", "v3/api/products").status == 403)
        #expect(throws: SandboxError.self) { try OpenMarketClient("openmarket.quota=1") }
    }

    @Test("the generated products have images, and the health check passes")
    func generatedProducts() async throws {
        let market = try OpenMarketClient()
        #expect(await market.send("GET", "v3/healthChecker").text == "OK")
        let product = try await market.send("GET", "v3/api/products/1").json()
        let address = try #require(product["thumbnail"] as? String)
        #expect(address.hasPrefix("http://market:1/openmarket/media/thumb/"))
        let path = try #require(address.split(separator: "/openmarket/").last)
        let header = try #require(ImageHeader.read(await market.send("GET", String(path)).bytes))
        #expect(header.format == .jpeg && header.width == 200 && header.height == 200)
    }
}
