import Foundation
import TestSupport
import Testing

/// The shop, asked and ordered in as any client does.
@Suite(.patience) struct ProductTests {
    /// A picture of one grey pixel.
    static let image = Array(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADUlEQVR4AQECAP3/AIAAggCBw24l4AAAAABJRU5ErkJggg==")
            ?? Data())

    /// The frames of a registration.
    static func registration(_ id: String, name: String = "겨울 외투", images: [[UInt8]] = [image]) -> [[UInt8]] {
        let body = #"{"id":"\#(id)","name":"\#(name)","description":"따뜻하고 가벼운 외투입니다","price":15000,"stock":3}"#
        return [Array("product.register".utf8), Array(body.utf8)] + images
    }

    @Test("a product is registered, listed, changed and removed")
    func life() async throws {
        try await ProcessHarness.run { harness, client in
            #expect(try await client.ask(frames: Self.registration("mine")).word == "accepted")
            let registered = try await client.outcome(of: "mine")
            #expect(registered.isDone)
            let product = try #require(registered.events.first)
            let id = try #require(product.data["id"].number)
            #expect(product.topic == "product.\(Int(id))" && product.data["name"] == "겨울 외투")
            let page = try await client.request("fetch.products", ["page": 1, "perPage": 5])
            #expect(page.events[0].data["pages"].list[0]["id"] == product.data["id"])
            let changed = try await client.request("product.modify", ["product": product.data["id"], "stock": 0])
            #expect(changed.events[0].data["stock"] == 0)
            let removed = try await client.request("product.remove", ["product": product.data["id"]])
            #expect(removed.events[0].topic == "product.removed.\(Int(id))")
            let gone = try await client.request("fetch.product", ["product": product.data["id"]])
            #expect(gone.end.data["error"]["code"] == "notFound")
            #expect(try await client.request("fetch.catalogue", ["perPage": 20]).events.count == 3)
        }
    }

    @Test("the error of an invalid order names its field, and a wrong secret is not disclosed")
    func mistakes() async throws {
        try await ProcessHarness.run { harness, client in
            let short = try await client.ask(frames: Self.registration("a", name: "외투"))
            #expect(short.word == "refused" && short.body["field"] == "name")
            let six = try await client.ask(
                frames: Self.registration("b", images: Array(repeating: Self.image, count: 6)))
            #expect(six.word == "refused" && six.body["field"] == "images")
            let huge = try await client.ask(
                frames: Self.registration("c", images: [Self.image, [UInt8](repeating: 0xFF, count: 10 << 20)]))
            #expect(huge.word == "refused" && huge.body["field"] == "images[1]")
            _ = try await client.ask(frames: Self.registration("d", images: [Array(Self.image.dropLast(30))]))
            #expect(try await client.outcome(of: "d").end.data["error"]["field"] == "images[0]")
            let wrong = try await client.request(
                "product.modify", ["product": 1, "secret": .text(ProcessHarness.wrongSecret)])
            #expect(["unauthorized", "forbidden"].contains(wrong.end.data["error"]["code"]))
            let foreign = try await client.request("product.modify", ["product": 3, "stock": 1])
            #expect(foreign.end.data["error"]["code"] == "forbidden")
            try await harness.setFaults(["openmarket": ["notice": 1]])
            let page = try await client.request("fetch.products", ["page": 2])
            #expect(page.end.data["error"]["code"] == "maintenance")
        }
    }
}

extension Failures {
    /// An order that a sudden end interrupts.
    struct OrderTests {
        @Test(
            "a registration is done once, even if the worker is killed before or after it is sent",
            arguments: ["attempted", "fetched"])
        func killed(step: String) async throws {
            try await ProcessHarness.run([.worker: ["--crash-at", step]]) { harness, client in
                try client.tell(frames: ProductTests.registration("one"))
                _ = try await harness[.worker].ended()
                try await harness.restart(.worker, by: SIGKILL)
                try await client.waitForHeartbeat(of: .worker)
                try await client.logged("request.done.one")
                // The same order again is the same request.
                #expect(try await client.ask(frames: ProductTests.registration("one")).word == "accepted")
                let page = try await client.request("fetch.products", ["page": 1, "perPage": 10, "refresh": true])
                #expect(page.events[0].data["pages"].list.count { $0["name"] == "겨울 외투" } == 1)
                await harness.end(.worker)
                let log = try await harness.state.topics(of: .worker).filter { $0.hasPrefix("product.") }
                #expect(log.count == 1)
            }
        }
    }
}
