import FoundationEssentials
import JSONCoding

/// What comes with a request and goes to the upstream alone: it is in no event, no log and no metric.
public struct Attachments: Hashable, Sendable {
    /// The vendor's secret, where it is not the configured one.
    public var secret: String?
    /// Pictures, as they came.
    public var images: [[UInt8]]

    /// Makes enclosures.
    public init(secret: String? = nil, images: [[UInt8]] = []) {
        self.secret = secret
        self.images = images
    }

    /// Nothing.
    public static let none = Attachments()
}

extension Attachments: CustomStringConvertible, CustomReflectable {
    /// How many pictures there are, and whether there is a secret.
    public var description: String {
        "\(images.count) images" + (secret == nil ? "" : ", and a secret")
    }

    /// What `dump` shows: the same.
    public var customMirror: Mirror { Mirror(self, children: ["enclosures": description]) }
}

extension RequestFrames {
    /// What came with a request, or which part of it is at fault.
    public func attachments() throws(ContractError) -> Attachments {
        struct SecretField: Decodable { let secret: String? }
        guard let topic = RequestTopic(text: topic), topic.isAboutProducts, RequestBody.bare(body) == nil else {
            return .none
        }
        let secret = try RequestBody.fields(body, as: SecretField.self).secret
        if let secret, !(1...256).contains(secret.utf8.count) {
            throw ContractError(.badRequest, "a secret has 1 to 256 bytes", field: "secret")
        }
        return Attachments(secret: secret, images: images)
    }

    /// The request without what must not be kept beyond its end: fields that are not known, and so the secret, are left
    /// out, and the images are told by their `digests`.
    ///
    /// Equal requests have equal texts, whatever secret came with them.
    public func withoutAttachments(digests: [String] = []) -> RequestFrames {
        guard let known = RequestTopic(text: topic), known.isAboutProducts else { return self }
        // Of a body that cannot be read nothing is kept.
        let fields = if case .product(let fields) = RequestFields(of: self) { fields } else { ProductFields() }
        let kept = Accompanied(fields: fields, secret: nil, images: digests)
        return RequestFrames(topic: topic, body: String(decoding: JSON.encodeInfallibly(kept), as: UTF8.self))
    }
}

extension Request {
    /// The request as the frames that ask for it, enclosures and all.
    public func frames(attaching attachments: Attachments) -> RequestFrames {
        guard !attachments.images.isEmpty || attachments.secret != nil else { return frames }
        var body = frames.body
        if case .product(let fields) = fields {
            let accompanied = Accompanied(fields: fields, secret: attachments.secret, images: [])
            body = String(decoding: JSON.encodeInfallibly(accompanied), as: UTF8.self)
        }
        return RequestFrames(topic: topic.rawValue, body: body, images: attachments.images)
    }
}

/// A request's fields, and beside them what is not one of them.
private struct Accompanied: Encodable {
    let fields: ProductFields
    let secret: String?
    let images: [String]

    enum CodingKeys: CodingKey {
        case secret
        case images
    }

    func encode(to encoder: any Encoder) throws {
        try fields.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(secret, forKey: .secret)
        if !images.isEmpty { try container.encode(images, forKey: .images) }
    }
}
