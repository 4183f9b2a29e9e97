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
