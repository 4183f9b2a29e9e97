import JSONCoding

/// The secret and the images of a request. They go only to the upstream and appear in no event, log or metric.
public struct Attachments: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The vendor's secret; nil if the configured one applies.
    public var secret: String?
    /// The images as received.
    public var images: [[UInt8]]

    /// Makes attachments.
    public init(secret: String? = nil, images: [[UInt8]] = []) {
        self.secret = secret
        self.images = images
    }

    /// No secret and no images.
    public static let none = Attachments()

    /// The number of images, and whether there is a secret.
    public var description: String {
        "\(images.count) images" + (secret == nil ? "" : ", and a secret")
    }

    /// The mirror that `dump` prints: the description only.
    public var customMirror: Mirror { Mirror(self, children: ["attachments": description]) }
}

extension RequestFrames {
    /// Returns the attachments of a request.
    public func attachments() throws(ContractError) -> Attachments {
        struct SecretField: Decodable { let secret: String? }
        guard let topic = RequestTopic(text: topic), topic.isAboutProducts, RequestBody.bare(body) == nil else {
            return .none
        }
        let secret = try RequestBody.fields(body, as: SecretField.self).secret
        if let secret, !(1...256).contains(secret.utf8.count) {
            throw ContractError(.badRequest, "the secret must have 1 to 256 bytes", field: "secret")
        }
        return Attachments(secret: secret, images: images)
    }

    /// Returns the request in the form that may be stored: without its secret and other unknown fields, and with the
    /// `digests` of its images in their place. Equal requests have equal texts, whatever their secrets are.
    public func withoutAttachments(digests: [String] = []) -> RequestFrames {
        guard let known = RequestTopic(text: topic), known.isAboutProducts else { return self }
        // Nothing of an unreadable body is kept.
        let fields = if case .product(let fields) = RequestFields(of: self) { fields } else { ProductFields() }
        let kept = FieldsWithAttachments(fields: fields, secret: nil, images: digests)
        return RequestFrames(topic: topic, body: String(decoding: JSON.encodeInfallibly(kept), as: UTF8.self))
    }
}

extension Request {
    /// Returns the request as frames, with its attachments.
    public func frames(attaching attachments: Attachments) -> RequestFrames {
        guard !attachments.images.isEmpty || attachments.secret != nil else { return frames }
        var body = frames.body
        if case .product(let fields) = fields {
            let extended = FieldsWithAttachments(fields: fields, secret: attachments.secret, images: [])
            body = String(decoding: JSON.encodeInfallibly(extended), as: UTF8.self)
        }
        return RequestFrames(topic: topic.rawValue, body: body, images: attachments.images)
    }
}

private struct FieldsWithAttachments: Encodable {
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
