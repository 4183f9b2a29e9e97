public import JSONCoding

/// The result of a search for a movie's poster: an image, or none.
public struct Poster: Hashable, Sendable, Codable {
    /// An image that was downloaded and decoded.
    public struct Image: Hashable, Sendable, Codable {
        /// The image's URL.
        public var imageURL: String
        /// The URL of the image search's thumbnail.
        public var thumbnailURL: String
        /// The image's width and height in pixels.
        public var width, height: Int
        /// The name of the site that shows it.
        @Nullable public var site: String?
        /// The page that shows it.
        @Nullable public var pageURL: String?
        /// The service that found it, or ``operatorSource``.
        public var source: String
        /// The media type detected from the image's bytes, such as `image/jpeg`.
        public var contentType: String
        /// The image's size in bytes.
        public var bytes: Int
        /// The image's SHA-256, 64 hexadecimal digits.
        public var sha256: String

        /// The source of an image that an operator has chosen.
        public static let operatorSource = "operator"

        /// The image's version in the board's URLs; nil if the digest is not one, so that nothing else gets into a URL.
        public var version: String? {
            let digits = Set("0123456789abcdef".utf8)
            guard sha256.utf8.count == 64, sha256.utf8.allSatisfy(digits.contains) else { return nil }
            return String(sha256.prefix(12))
        }

        /// Makes the description of an image.
        public init(
            imageURL: String, thumbnailURL: String, width: Int, height: Int, site: String?, pageURL: String?,
            source: String, contentType: String, bytes: Int, sha256: String
        ) {
            self.imageURL = imageURL
            self.thumbnailURL = thumbnailURL
            self.width = width
            self.height = height
            self.site = site
            self.pageURL = pageURL
            self.source = source
            self.contentType = contentType
            self.bytes = bytes
            self.sha256 = sha256
        }
    }

    /// The movie's code.
    public var code: MovieCode
    /// The movie's title.
    public var title: String
    /// What was searched; empty if an operator has chosen the image.
    public var query: String
    /// The number of the hit that the image is, from 1; nil without an image, and if an operator has chosen it.
    public var hit: Int?
    /// The image; nil if none was found.
    public var image: Image?

    /// Makes the outcome of a search.
    public init(code: MovieCode, title: String, query: String, hit: Int? = nil, image: Image?) {
        self.code = code
        self.title = title
        self.query = query
        self.hit = hit
        self.image = image
    }

    /// Whether another poster states the same: the search and the place of the hit may differ each time.
    public func statesSame(as other: Poster) -> Bool {
        (code, title, image) == (other.code, other.title, other.image)
    }

    private enum Key: String, CodingKey {
        case code, title, query, hit, found
    }

    /// Reads the search and, if `found`, the image's fields beside it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decode(MovieCode.self, forKey: .code)
        title = try container.decode(String.self, forKey: .title)
        query = try container.decode(String.self, forKey: .query)
        hit = try container.decodeIfPresent(Int.self, forKey: .hit)
        image = try container.decode(Bool.self, forKey: .found) ? Image(from: decoder) : nil
    }

    /// Writes the search, `found` and, if there is one, the image's fields beside them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(title, forKey: .title)
        try container.encode(query, forKey: .query)
        try container.encodeIfPresent(hit, forKey: .hit)
        try container.encode(image != nil, forKey: .found)
        try image?.encode(to: encoder)
    }
}
