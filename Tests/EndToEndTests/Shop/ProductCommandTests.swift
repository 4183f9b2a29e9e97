import Foundation
import Networking
import TestSupport
import Testing

extension Terminal {
    /// `marquee product`, as a person uses it, mistakes and all.
    struct ProductCommandTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            let path = folder.file(name)
            try Data(bytes).write(to: URL(filePath: path))
            return path
        }

        private static let goods = ["--name", "겨울 외투", "--description", "따뜻하고 가벼운 외투입니다", "--price", "15000"]

        private func product(_ harness: ProcessHarness, _ words: [String]) async throws -> Program.Ending {
            try await harness.start(["product"] + words).finish()
        }

        @Test("a product is registered, shown, changed and removed")
        func life() async throws {
            try await ProcessHarness.run { harness, _ in
                let image = try file("a.png", ProductTests.image)
                let registered = try await product(harness, ["register", image, image, "--json"] + Self.goods)
                #expect(registered.status == 0, "\(registered.errors)")
                let event = try JSON(try #require(registered.output.first))
                let id = "\(Int(try #require(event["data"]["id"].number)))"
                #expect(event["data"]["images"].list.count == 2)
                let shown = try await product(harness, ["show", id])
                #expect(shown.status == 0 && shown.output.joined().contains("겨울 외투"))
                let list = try await product(harness, ["list", "--per-page", "3", "--refresh"])
                #expect(list.output.contains { $0.contains("겨울 외투") && $0.contains("KRW 15,000") })
                let changed = try await product(harness, ["modify", id, "--discount", "1000", "--stock", "2"])
                #expect(changed.status == 0 && changed.output.joined().contains("KRW 14,000"))
                #expect(try await product(harness, ["remove", id]).status == 0)
                let gone = try await product(harness, ["show", id, "--refresh"])
                #expect(gone.status == 1 && gone.errors.joined().contains("notFound"))
            }
        }

        @Test("on a terminal a removal is asked for confirmation, unless --yes is given")
        func confirmation() async throws {
            try await ProcessHarness.run { harness, _ in
                let no = try await harness.onTerminal(["product", "remove", "1"], typing: "n\r")
                #expect(no.status == 1 && no.output.joined().contains("Remove the product 1? [y/N]"), "\(no)")
                #expect(no.output.last?.contains("nothing was removed") == true)
                #expect(try await harness.requests { $0.contains("/openmarket/") } == 0)
                let yes = try await harness.onTerminal(["product", "remove", "1"], typing: "y\r")
                #expect(yes.status == 0 && yes.output.last?.contains("(1) removed") == true, "\(yes)")
                let unasked = try await harness.onTerminal(["product", "remove", "3", "--yes"], typing: "")
                #expect(!unasked.output.joined().contains("[y/N]"), "\(unasked)")
                // The shop was asked: the product is of another vendor.
                #expect(unasked.output.last?.contains("forbidden: ") == true, "\(unasked)")
            }
        }

        @Test("each mistake is one clear line, if possible before anything is sent")
        func mistakes() async throws {
            try await ProcessHarness.run { harness, _ in
                let image = try file("a.png", ProductTests.image)
                func said(_ status: Int, _ words: [String]) async throws -> String {
                    let ending = try await product(harness, words)
                    #expect(ending.status == status && ending.output == [], "\(words)")
                    return ending.errors.first ?? ""
                }
                let short = Self.goods.map { $0 == "겨울 외투" ? "외투" : $0 }
                #expect(
                    try await said(2, ["register", image] + short).contains("a name must have at least 3 characters"))
                let six = Array(repeating: image, count: 6)
                #expect(try await said(2, ["register"] + six + Self.goods).contains("1 to 5 images, not 6"))
                let large = try file("large.jpg", [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 10 << 20))
                #expect(try await said(2, ["register", large] + Self.goods).contains("has more than 8,388,608 bytes"))
                let nothing = try await said(2, ["register", folder.file("none")] + Self.goods)
                #expect(nothing.contains("is not a readable file"))
                #expect(try await harness.requests { $0.contains("/openmarket/") } == 0)

                let cut = try file("cut.jpg", [0xFF, 0xD8, 0xFF, 0xE0] + Array("cut off".utf8))
                let broken = try await said(1, ["register", image, cut] + Self.goods)
                #expect(broken.contains("badRequest: ") && broken.contains("(images[1])"))
                let foreign = try await said(1, ["modify", "3", "--stock", "1"])
                #expect(foreign.contains("forbidden: ") && foreign.contains("403"))
                let secret = try file("secret", Array(ProcessHarness.wrongSecret.utf8))
                let wrong = try await said(1, ["register", image, "--secret-file", secret] + Self.goods)
                #expect(wrong.contains("unauthorized: ") && wrong.contains("401"))
                try await harness.setFaults(["openmarket": ["notice": 1]])
                let page = try await said(3, ["list", "--refresh"])
                #expect(page.contains("maintenance: ") && page.contains("with an HTML page instead of data"))
            }
        }

        @Test("no event, log, status or metric contains a secret of the Open Market")
        func secrets() async throws {
            try await ProcessHarness.run { harness, client in
                let image = try file("a.png", ProductTests.image)
                let secret = try file("secret", Array(ProcessHarness.wrongSecret.utf8))
                _ = try await product(harness, ["register", image, "--secret-file", secret] + Self.goods)
                _ = try await product(harness, ["remove", "1", "--secret-file", secret])
                #expect(try await product(harness, ["register", image] + Self.goods).status == 0)
                var told = try await harness.marquee("status", "--json").output.joined()
                let http = HTTPClient(retry: .never)
                for page in ["metrics", "readyz"] {
                    let address = harness.environment["MARQUEE_WORKER_HTTP", default: ""]
                    let request = HTTPRequest("http://\(address)/\(page)")
                    let endpoint = APICall<HTTPResponse>(service: "worker", request: request) { $0 }
                    told += String(decoding: try await http.send(endpoint).body, as: UTF8.self)
                }
                await http.shutdown()
                #expect(told.contains("marquee_requests_failed_total"))
                // What was heard, logged and written to files the harness looks through at its end.
                for secret in [
                    ProcessHarness.wrongSecret, ProcessHarness.marketSecret, ProcessHarness.marketIdentifier,
                ] {
                    #expect(!told.contains(secret))
                    #expect(!client.events.contains { $0.text.contains(secret) })
                }
                #expect(client.events.contains { $0.topic.hasPrefix("product.") })
            }
        }
    }
}
