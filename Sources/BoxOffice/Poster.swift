/// A film's poster, or the knowledge that a search found none.
public struct Poster: Hashable, Sendable {
    /// A picture that was fetched and proved to be one.
    public struct Image: Hashable, Sendable, Codable {
        /// Where the picture is.
        public var imageURL: String
        /// Where the image search keeps a small copy.
        public var thumbnailURL: String
        /// The picture's own width in pixels.
        public var width: Int
        /// The picture's own height in pixels.
        public var height: Int
        /// The name of the site that shows it.
        @Nullable public var site: String?
        /// The page that shows it.
        @Nullable public var pageURL: String?
        /// The service that found it.
        public var source: String
        /// The media type by the picture's own bytes, such as `image/jpeg`.
        public var contentType: String
        /// The picture's size.
        public var bytes: Int
        /// The SHA-256 of the picture, 64 hexadecimal digits.
        public var sha256: String

        /// Makes the description of a picture.
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

    /// The film.
    public var code: MovieCode
    /// Its title.
    public var title: String
    /// The words that were searched for.
    public var query: String
    /// The picture; nil if there is none.
    public var image: Image?

    /// Makes the outcome of a search.
    public init(code: MovieCode, title: String, query: String, image: Image?) {
        self.code = code
        self.title = title
        self.query = query
        self.image = image
    }
}

extension Poster: Codable {
    private enum Key: String, CodingKey {
        case code
        case title
        case query
        case found
    }

    /// Reads the search and, if `found`, the picture's fields beside it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decode(MovieCode.self, forKey: .code)
        title = try container.decode(String.self, forKey: .title)
        query = try container.decode(String.self, forKey: .query)
        image = try container.decode(Bool.self, forKey: .found) ? Image(from: decoder) : nil
    }

    /// Writes the search, `found` and, if there is one, the picture's fields beside them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(title, forKey: .title)
        try container.encode(query, forKey: .query)
        try container.encode(image != nil, forKey: .found)
        try image?.encode(to: encoder)
    }
}
