import Contract
import Foundation
import Imaging
import Networking
import OpenMarket
import TestSupport
import Testing
import WebServer

@testable import Board

/// The products of the Open Market on the board.
@Suite(.patience) struct ShopTests {
    let harness: BoardHarness

    init() throws {
        harness = try BoardHarness()
    }

    private func id(_ number: Int) throws -> ProductID { try #require(ProductID(number)) }

    @Test("the shop opens with the first product event")
    func isOpen() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let client = BoardClient(address: address)
            #expect(try await client.json("shop")["isOpen"] as? Bool == false)
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            try await worker.publish(.product(id(7)), try Sample.product(7))
            _ = await stream.next(1, "product")
            #expect(try await client.json("shop")["isOpen"] as? Bool == true)
        }
        await worker.end()
    }

    @Test("a page lists the products of its last event, each as in the newest event about it")
    func pages() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let client = BoardClient(address: address)
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            #expect(try await client.json("products?page=1")["known"] as? Bool == false)
            #expect(try await client.json("products/8")["known"] as? Bool == false)
            let page = Sample.page([try Sample.product(9), try Sample.product(8), try Sample.product(7)], lastPage: 2)
            try await worker.publish(.products(page: 1, perPage: 20), page)
            #expect(await stream.next(1, "products").first?.data == #"{"page":1,"perPage":20}"#)
            try await worker.publish(.product(id(8)), try Sample.product(8, stock: 0, images: ["http://market/8"]))
            try await worker.publish(
                .productRemoved(id(7)), RemovedProduct(id: id(7), product: try Sample.product(7)))
            let updates = await stream.next(2, "product").map(\.data)
            #expect(updates == [#"{"id":8,"isRemoved":false}"#, #"{"id":7,"isRemoved":true}"#])
            let answer = try await client.json("products?page=1")
            #expect((answer["page"] as? [String: Any])?["hasNext"] as? Bool == true)
            let products = try #require(answer["products"] as? [[String: Any]])
            let shown = products.compactMap { $0["product"] as? [String: Any] }
            #expect(shown.map { $0["id"] as? Int } == [9, 8])
            #expect(shown.map { $0["stock"] as? Int } == [3, 0])
            let removed = try await client.json("products/7")
            #expect(removed["isRemoved"] as? Bool == true && removed["known"] as? Bool == true)
            #expect((removed["product"] as? [String: Any])?["name"] as? String == "팥빙수 7")
        }
        await worker.end()
    }

    @Test("a page of the shop keeps the images of its products, and marks them as old if a product was changed since")
    func lists() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let client = BoardClient(address: address)
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            try await worker.publish(.product(id(5)), try Sample.product(5, images: ["http://market/5"]))
            for (issued, isWhole) in [("2022-01-04T00:00:00", true), ("2022-01-05T00:00:00", false)] {
                let page = Sample.page([try Sample.product(5, stock: 2, issued: issued)])
                try await worker.publish(.products(page: 1, perPage: 20), page)
                _ = await stream.next(1, "products")
                let answer = try await client.json("products/5")
                #expect((answer["product"] as? [String: Any])?["stock"] as? Int == 2)
                #expect((answer["imageVersions"] as? [String])?.count == 1)
                #expect(answer["isWhole"] as? Bool == isWhole)
            }
        }
        await worker.end()
    }

    @Test("an image of a product is available at its version, and at no other")
    func images() async throws {
        let bytes = Bitmap(width: 900, height: 600).encodeJPEG()
        let host = try HTTPServer(address: "127.0.0.1:0") { _ in
            WebResponse(contentType: "image/jpeg", body: .bytes(bytes))
        }
        let worker = try await harness.startPublisher()
        try await worker.publish(.product(id(5)), try Sample.product(5, images: ["http://\(host.address)/5"]))
        var options = BoardProcess.Options()
        options.trustedImages = "http://\(host.address)"
        try await harness.open(options) { address in
            let client = BoardClient(address: address)
            let answer = try await client.json("products/5")
            let version = try #require((answer["imageVersions"] as? [String])?.first)
            for (size, width) in [("small", 144), ("large", 480), ("full", 900)] {
                let image = try await client.get("/api/v1/products/5/images/\(version)?size=\(size)")
                #expect(ImageHeader.read(image.body)?.width == width)
                #expect(image["Cache-Control"] == "public, max-age=600" && image["ETag"] != nil)
            }
            for path in ["6/images/\(version)", "5/images/0000000000000000", "5/images/http:%2f%2f127.0.0.1"] {
                #expect(try await client.get("/api/v1/products/\(path)").status == 404, "\(path)")
            }
            #expect(try await client.get("/api/v1/products/5/images/\(version)?size=huge").status == 400)
        }
        await host.shutdown(grace: .seconds(1))
        await worker.end()
    }

    @Test(
        "an invalid request gets the contract's error object",
        arguments: [
            ("products?page=0", 400, "badRequest"), ("products?perPage=101", 400, "badRequest"),
            ("products/x", 400, "badRequest"), ("products/0", 400, "badRequest"),
            ("products/99/images/1", 404, "notFound"),
        ])
    func refusals(path: String, status: Int, word: String) async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let response = try await BoardClient(address: address).get("/api/v1/\(path)")
            #expect(response.status == status)
            #expect(try response.failure.code == word)
        }
        await worker.end()
    }
}
