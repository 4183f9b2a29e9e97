import FoundationEssentials
public import JSONCoding
import OpenMarket
import Text

/// A received request that is not yet parsed: two frames of bounded UTF-8 text and, if it registers a product, one
/// frame for each image.
public struct RequestFrames: Hashable, Sendable {
    /// The maximum size of a body in bytes.
    public static let bodyLimit = 64 << 10

    /// The first frame: the kind of request.
    public let topic: String
    /// The second frame: the fields.
    public let body: String
    /// The further frames: the images.
    public let images: [[UInt8]]

    /// The maximum size of a received image in bytes. The Open Market gets smaller ones.
    public static let imageLimit = 8 << 20

    /// Makes a request's frames from text.
    public init(topic: String, body: String, images: [[UInt8]] = []) {
        self.topic = topic
        self.body = body
        self.images = images
    }

    /// Reads the frames of a message; each is bounded, and the first two are UTF-8.
    public init(_ frames: [[UInt8]]) throws(ContractError) {
        let first = frames.first ?? []
        guard first.count <= RequestTopic.maximumBytes else {
            throw ContractError(
                .badRequest, "the topic must have at most \(RequestTopic.maximumBytes) bytes, not \(first.count)",
                field: "topic")
        }
        guard !frames.isEmpty, let topic = String(validating: first, as: UTF8.self) else {
            throw ContractError(.badRequest, "the topic is not valid UTF-8", field: "topic")
        }
        let bytes = frames.count > 1 ? frames[1] : []
        guard bytes.count <= Self.bodyLimit else {
            throw ContractError(
                .badRequest, "the body must have at most \(Self.bodyLimit) bytes, not \(bytes.count)", field: "body")
        }
        guard let body = String(validating: bytes.dropFirst(bytes.hasByteOrderMark ? 3 : 0), as: UTF8.self) else {
            throw ContractError(.badRequest, "the body is not valid UTF-8", field: "body")
        }
        self.topic = topic
        self.body = body
        images = Array(frames.dropFirst(2))
        guard RequestTopic(text: topic) == .productRegister else {
            guard images.isEmpty else {
                throw ContractError(.badRequest, "a request must have two frames, not \(frames.count)")
            }
            return
        }
        do throws(ProductValidationError) {
            try ProductConstraints.check(imageCount: images.count)
        } catch {
            throw ContractError(error)
        }
        for (index, image) in images.enumerated() where !(1...Self.imageLimit).contains(image.count) {
            throw ContractError(
                .badRequest, "an image must have 1 byte to \(Self.imageLimit >> 20) MiB, not \(image.count) bytes",
                field: "images[\(index)]")
        }
    }
}

/// The kind of a request; the raw value is the first frame.
public enum RequestTopic: String, Hashable, Sendable, CaseIterable {
    case fetchDay = "fetch.day"
    case fetchWeek = "fetch.week"
    case fetchMovie = "fetch.movie"
    case fetchProducts = "fetch.products"
    case fetchProduct = "fetch.product"
    case fetchCatalogue = "fetch.catalogue"
    case productRegister = "product.register"
    case productModify = "product.modify"
    case productRemove = "product.remove"

    /// The most bytes of a request's topic or a command's name that are read; every known one is shorter.
    public static let maximumBytes = 64

    /// Reads a topic; a blank counts as a dot (`fetch day`).
    public init?(text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        // As bytes, because a client decides how many of them are one character.
        let dotted = text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: ".") : $0 }
        self.init(rawValue: String(decoding: dotted, as: UTF8.self))
    }

    /// The field that a bare body, which is not a JSON object, gives.
    var bareField: String {
        switch self {
        case .fetchDay, .fetchWeek: "date"
        case .fetchMovie: "code"
        case .fetchProducts: "page"
        case .fetchProduct: "id"
        case .fetchCatalogue: "perPage"
        case .productRegister: "name"
        case .productModify, .productRemove: "product"
        }
    }

    /// Whether the request is about the shop; its body has `ProductFields` then.
    public var isAboutProducts: Bool {
        switch self {
        case .fetchDay, .fetchWeek, .fetchMovie: false
        case .fetchProducts, .fetchProduct, .fetchCatalogue, .productRegister, .productModify, .productRemove: true
        }
    }
}

/// The id of a request, chosen by its client: 1 to 128 printable ASCII characters without blanks.
public struct RequestID: Hashable, Sendable, CustomStringConvertible, StringRepresentable {
    /// The beginning of the ids that a board gives to requests of visitors who are not its operator.
    public static let visitorPrefix = "board-visitor-"

    /// The id as the client wrote it.
    public let description: String

    /// Makes an id, or nil if the text is not one.
    public init?(_ text: some StringProtocol) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        description = String(text)
    }

    /// Reads a request's field `id`; nil if it is missing.
    static func checked(_ text: String?) throws(ContractError) -> RequestID? {
        try RequestBody.known(text, "id", must: "have 1 to 128 printable ASCII characters without blanks") {
            RequestID($0)
        }
    }

    private init(unchecked text: String) { description = text }

    /// Returns a random UUID, for a request without an id.
    public static func random() -> RequestID { RequestID(unchecked: UUID().uuidString.lowercased()) }

    /// The noun in error texts.
    public static let noun = "request id: 1 to 128 printable ASCII characters without blanks"
}
