import FoundationEssentials
import JSONCoding
import OpenMarket
import Testing

@testable import Contract

/// Requests about the shop, as outsiders write them.
@Suite struct ProductRequestTests {
    private let now = Date(timeIntervalSince1970: 1_717_515_000)

    private func request(_ topic: String, _ body: String) throws -> Request {
        try Request(RequestFrames(topic: topic, body: body), at: now)
    }

    private func refusal(_ topic: String, _ body: String) -> ContractError? {
        do throws(ContractError) {
            _ = try Request(RequestFrames(topic: topic, body: body), at: now)
            return nil
        } catch {
            return error
        }
    }

    private func id(_ number: Int) -> ProductID {
        guard let id = ProductID(number) else { preconditionFailure("\(number) is no product") }
        return id
    }

    private let draft = #""name":"겨울 외투","description":"따뜻하고 가벼운 외투입니다","price":15000.5"#

    @Test("a page is requested by an object, a bare number or an empty body")
    func pages() throws {
        #expect(try request("fetch.products", "").target == .products(.page(1, perPage: 20)))
        #expect(try request("fetch.products", " 3\n").target == .products(.page(3, perPage: 20)))
        #expect(
            try request("fetch.products", #"{"page":2,"perPage":100,"id":"a"}"#)
                == Request(.products(.page(2, perPage: 100)), id: RequestID("a")))
        #expect(try request("fetch catalogue", "{}").target == .products(.catalogue(perPage: 100)))
    }

    @Test("id is the product's number if product is missing, and the request's id otherwise")
    func product() throws {
        for body in ["522", #"{"id":522}"#, #"{"id":"522"}"#] {
            #expect(try request("fetch.product", body) == Request(.products(.product(id(522)))))
        }
        #expect(
            try request("fetch.product", #"{"product":522,"id":"mine"}"#)
                == Request(.products(.product(id(522))), id: RequestID("mine")))
        #expect(Request.id(in: RequestFrames(topic: "fetch.product", body: #"{"id":"522"}"#)) == nil)
    }

    @Test("orders are read")
    func orders() throws {
        let wanted = try ProductDraft(
            name: "겨울 외투", description: "따뜻하고 가벼운 외투입니다", price: #require(Decimal(string: "15000.5")))
        #expect(try request("product.register", "{\(draft)}").target == .productOrder(.register(wanted)))
        #expect(
            try request("product.modify", #"{"product":5,"stock":0}"#).target
                == .productOrder(.modify(id(5), try ProductChange(stock: 0))))
        #expect(
            try request("product.modify", #"{"product":5,"secret":"s"}"#).target
                == .productOrder(.modify(id(5), .empty)))
        #expect(try request("product.remove", "5").target == .productOrder(.remove(id(5))))
    }

    @Test(
        "a value that breaks a rule is a bad request that names the field",
        arguments: [
            ("fetch.products", #"{"page":0}"#, "page"), ("fetch.products", #"{"perPage":101}"#, "perPage"),
            ("fetch.products", "x", "page"), ("fetch.products", #"{"page":"1"}"#, "page"),
            ("fetch.product", "", "product"), ("fetch.product", #"{"id":"x"}"#, "id"),
            ("fetch.product", #"{"product":5,"id":6}"#, "id"), ("fetch.product", #"{"id":0}"#, "product"),
            ("product.register", "{}", "name"), ("product.register", #"{"name":"옷"}"#, "description"),
            ("product.register", #"{"name":"옷","description":"따뜻하고 가벼운 외투","price":1}"#, "name"),
            ("product.register", #"{"name":"외투다","description":"짧다","price":1}"#, "description"),
            ("product.register", #"{"name":"외투다","description":"따뜻하고 가벼운 외투","price":0}"#, "price"),
            (
                "product.register", #"{"name":"외투다","description":"따뜻하고 가벼운 외투","price":1,"discountedPrice":2}"#,
                "discountedPrice"
            ),
            ("product.register", #"{"name":"외투다","description":"따뜻하고 가벼운 외투","price":1,"stock":-1}"#, "stock"),
            ("product.register", #"{"name":"외투다","description":"따뜻하고 가벼운 외투","price":1,"currency":"JPY"}"#, "currency"),
            ("product.modify", "{}", "product"), ("product.modify", #"{"product":1,"name":"ab"}"#, "name"),
            ("product.remove", #"{"product":-3}"#, "product"),
        ])
    func mistakes(_ topic: String, _ body: String, _ field: String) {
        let failure = refusal(topic, body)
        #expect(failure?.code == .badRequest)
        #expect(failure?.field == field)
    }

    @Test("a request reads back the same from its own frames")
    func roundTrip() throws {
        let all = [
            Request(.products(.page(2, perPage: 7)), refresh: true), Request(.products(.catalogue(perPage: 50))),
            Request(.products(.product(id(9))), id: RequestID("a")),
            Request(
                .productOrder(
                    .register(
                        try ProductDraft(
                            name: "외투다", description: "따뜻하고 가벼운 외투", currency: .dollar, price: 9.5, discount: 1,
                            stock: 2)))),
            Request(.productOrder(.modify(id(3), try ProductChange(thumbnail: 4, price: 7))), id: RequestID("b")),
            Request(.productOrder(.remove(id(3)))),
        ]
        for request in all {
            #expect(try Request(request.frames, at: now) == request)
            let sent = request.frames(attaching: Attachments(secret: "s3cret"))
            #expect(try Request(sent, at: now) == request)
            #expect(try sent.attachments().secret == "s3cret")
        }
    }

    @Test("a registration has one to five images within the limit, a frame each; other requests have none")
    func images() throws {
        func failure(_ topic: String, _ images: [[UInt8]]) -> ContractError? {
            do throws(ContractError) {
                _ = try RequestFrames([Array(topic.utf8), Array("{}".utf8)] + images)
                return nil
            } catch {
                return error
            }
        }
        let image: [UInt8] = [1]
        #expect(failure("product.register", [image]) == nil)
        #expect(try RequestFrames([Array("product.register".utf8), Array("{}".utf8), image]).body == "{}")
        #expect(failure("product register", Array(repeating: image, count: 5)) == nil)
        #expect(failure("product.register", Array(repeating: image, count: 6))?.field == "images")
        #expect(failure("product.register", [])?.field == "images")
        #expect(failure("product.register", [image, []])?.field == "images[1]")
        let huge = [UInt8](repeating: 0, count: RequestFrames.imageLimit + 1)
        #expect(failure("product.register", [image, image, huge])?.field == "images[2]")
        #expect(failure("product.modify", [image])?.message == "a request must have two frames, not 3")
        #expect(failure("fetch.day", [image])?.message == "a request must have two frames, not 3")
    }

    @Test("the stored form of a request has no secret, and digests in place of its images")
    func kept() throws {
        let frames = RequestFrames(topic: "product.register", body: #"{"id":"a","secret":"s3cret",\#(draft)}"#)
        let kept = frames.withoutAttachments(digests: ["d1", "d2"])
        #expect(!kept.body.contains("s3cret"))
        #expect(kept.body.contains(#""images":["d1","d2"]"#))
        #expect(kept == frames.withoutAttachments(digests: ["d1", "d2"]))
        #expect(kept != frames.withoutAttachments(digests: ["d1"]))
        #expect(Request.id(in: kept) == RequestID("a"))
        #expect(RequestFrames(topic: "fetch.day", body: "2024-06-04").withoutAttachments().body == "2024-06-04")
        let accepted = RequestAccepted(topic: "product.register", request: RequestFields(of: frames))
        let json = accepted.json
        #expect(!String(decoding: json, as: UTF8.self).contains("s3cret"))
        #expect(try JSON.decode(RequestAccepted.self, from: json) == accepted)
        var text = ""
        dump(try frames.attachments(), to: &text)
        #expect(!text.contains("s3cret"))
    }

    @Test(
        "topics of the shop read back the same, and other texts are not topics",
        arguments: [
            "products.1.20": true, "product.5": true, "product.removed.5": true, "products.0.20": false,
            "products.1.101": false, "product.05": false, "product.x": false, "product.removed": false,
            "products.1": false,
        ])
    func topics(_ text: String, isTopic: Bool) {
        #expect((Topic(text)?.description == text) == isTopic)
    }
}
