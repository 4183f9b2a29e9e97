import Foundation
import TestSupport
import Testing

extension Failures {
    /// Alerts about products, from the shop to a subscriber and a sink.
    struct ProductAlertTests {
        @Test("a changed product fires one alert, even if the notifier is killed")
        func changes() async throws {
            let folder = try TemporaryFolder()
            let rules = """
                rules: {priceFell: , newDiscount: false, soldOut: , backInStock: , newProduct: , productRemoved: }
                sinks: {file: {kind: file, path: \(folder.file("alerts.jsonl"))}}
                """
            try Data(rules.utf8).write(to: URL(filePath: folder.file("rules.yml")))
            let settings = ["MARQUEE_RULES": folder.file("rules.yml")]
            try await ProcessHarness.run(settings: settings) { harness, client in
                // All that there is, page by page: nothing of it is new.
                #expect(try await client.request("fetch.catalogue", ["perPage": 20]).isDone)
                #expect(try await client.ask(frames: ProductTests.registration("mine")).word == "accepted")
                let id = try #require(try await client.outcome(of: "mine").events.first?.data["id"].number)
                let new = try await alert("newProduct", Int(id), client)
                #expect(new.data["text"]["ko"] == "신상품 ‘겨울 외투’ 15,000원")
                #expect(new.data["product"].number == id && new.data["movieCode"] == nil)
                let product = JSON.number(id)
                #expect(try await client.request("product.modify", ["product": product, "price": 12_000]).isDone)
                let fell = try await alert("priceFell", Int(id), client)
                #expect(fell.data["text"]["en"] == "겨울 외투 is down 20% to KRW 12,000 (from KRW 15,000)")
                #expect(try await client.request("product.modify", ["product": product, "stock": 0]).isDone)
                _ = try await alert("soldOut", Int(id), client)
                // The page shows again what was seen already.
                #expect(try await client.request("fetch.products", ["page": 1, "refresh": true]).isDone)
                try await harness.restart(.notifier, by: SIGKILL)
                try await client.waitForHeartbeat(of: .notifier)
                #expect(try await client.request("product.modify", ["product": product, "stock": 7]).isDone)
                #expect(try await alert("backInStock", Int(id), client).data["values"]["stock"] == 7)
                #expect(try await client.request("product.remove", ["product": product]).isDone)
                let removed = try await alert("productRemoved", Int(id), client)
                let told = ["newProduct", "priceFell", "soldOut", "backInStock", "productRemoved"]
                let day = try #require(removed.topic.split(separator: ".").last)
                #expect(try await harness.state.topics(of: .notifier) == told.map { "alert.\($0).\(Int(id)).\(day)" })
                try await waitUntil("all alerts are in the file") {
                    (try? String(contentsOfFile: folder.file("alerts.jsonl"), encoding: .utf8)) ?? ""
                } is: { text in
                    told.allSatisfy { text.contains(#""rule":"\#($0)""#) }
                }
                let replayed = try await harness.lines("replay", "--rules", folder.file("rules.yml"), "--dry-run")
                let sums = "priceFell 1, soldOut 1, backInStock 1, newProduct 1, productRemoved 1"
                #expect(replayed.last == "5 alerts: \(sums)")
            }
        }

        private func alert(_ rule: String, _ id: Int, _ client: Client) async throws -> Client.Event {
            try await client.event { $0.topic.hasPrefix("alert.\(rule).\(id).") }
        }
    }
}
