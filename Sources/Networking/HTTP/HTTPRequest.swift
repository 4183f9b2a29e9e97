public import FoundationEssentials
internal import Text

/// An HTTP request with its deadline and the bounds on its response.
///
/// ``HTTPClient`` lets equal requests share one transfer.
public struct HTTPRequest: TransferRequest, Hashable, Sendable {
    /// The request method.
    public enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Whether the method only reads, so that callers can share a transfer (RFC 9110, 9.2.1).
        var isSafe: Bool { self == .get || self == .head }
        /// Whether repeating the request has no further effect, so that it can be retried (RFC 9110, 9.2.2).
        var isIdempotent: Bool { self != .post && self != .patch }
    }

    /// The addresses that a request may connect to.
    public enum AddressPolicy: Sendable {
        /// Any address: for URLs from the configuration.
        case anyAddress
        /// Only public internet addresses, checked when connecting and again before each request and redirect: for URLs
        /// from untrusted sources.
        case publicAddressesOnly
    }

    /// The request method.
    public var method: Method
    /// The `http` or `https` URL without the query items below. Bytes that no URL may hold are percent-encoded.
    public var url: String
    /// The parts of the URL that must never be printed, such as a token in its path.
    public var secrets: [String]
    /// The query items that are appended to the URL.
    public var query: [HTTPField]
    /// The headers besides those that HTTP itself needs.
    public var headers: [HTTPField]
    /// The body; nil for none.
    public var body: Data?
    /// The parts of a `multipart/form-data` body, sent instead of `body`; empty for none.
    public var form: [MultipartPart]
    /// The time for the whole request: waiting for a connection, all attempts, and the pauses between them.
    public var deadline: Duration
    /// Maximum size of the response body in bytes, after decompression.
    public var responseLimit: Int
    /// Maximum number of redirects to follow. A request with a secret follows none, because the redirect's target would
    /// receive the secret.
    public var redirects: Int
    /// The addresses that the request may connect to.
    public var addressPolicy: AddressPolicy
    /// An address that counts as public, for tests.
    var exemptAddress: IPAddress?
    /// Path of a PEM file of certificates to trust instead of the system's, for tests.
    var certificateFile: String?

    /// Creates a request.
    public init(
        _ url: String, secrets: [String] = [], method: Method = .get, query: [HTTPField] = [],
        headers: [HTTPField] = [], body: Data? = nil, form: [MultipartPart] = [],
        deadline: Duration = .seconds(30), responseLimit: Int = 1 << 20, redirects: Int = 0,
        addressPolicy: AddressPolicy = .anyAddress
    ) {
        self.method = method
        self.url = url
        self.secrets = secrets
        self.query = query
        self.headers = headers
        self.body = body
        self.form = form
        self.deadline = deadline
        self.responseLimit = responseLimit
        self.redirects = redirects
        self.addressPolicy = addressPolicy
    }
}

// MARK: - Printing without secrets

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, with `***` for each secret.
    public var description: String {
        "\(method.rawValue) \(redactor.redact(address { $0.isSecret ? Redactor.mark : $0.value.percentEncoded }))"
    }

    /// The mirror that `dump` prints: the description, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }

    /// Redacts the request's secrets in texts about the request, such as an upstream's error message.
    var redactor: Redactor {
        let items = query.filter(\.isSecret).map(\.value)
        let credentials = headers.filter(\.isSecret).map(\.value)
        // Error messages repeat the part of `Authorization: KakaoAK 1a2b…` after the scheme (RFC 9110, 11.6.2).
        let bare = credentials.flatMap { $0.split(separator: " ", maxSplits: 1).dropFirst().map(String.init) }
        return Redactor(secrets + items + credentials + bare + [userInfo])
    }

    private var userInfo: String {
        let authority =
            url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        return authority.lastIndex(of: "@").map { String(authority[..<$0]) } ?? ""
    }
}

// MARK: - URL and validation

extension HTTPRequest {
    var address: String {
        address(\.value.percentEncoded)
    }

    /// Returns the URL with each query item's value as `text` renders it.
    func address(_ text: (HTTPField) -> String) -> String {
        // Scanning a String's UTF-8 view takes several times as long as scanning an array.
        let location = Array(url.utf8).prefix { $0 != UInt8(ascii: "#") }
        var address = location.percentEncodedURL
        var separator = location.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")
        for item in query {
            address.append(separator)
            address += item.name.percentEncoded.utf8
            address.append(UInt8(ascii: "="))
            address += text(item).utf8
            separator = UInt8(ascii: "&")
        }
        return String(decoding: address, as: UTF8.self)
    }

    /// The scheme, host and port, by which the limit per host counts.
    var origin: String {
        var slashes = 0
        let end = url.utf8.firstIndex { byte in
            if byte == UInt8(ascii: "/") { slashes += 1 }
            return slashes == 3 || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }
        return url[..<(end ?? url.endIndex)].lowercased()
    }

    var validationError: String? {
        let origin = origin
        guard origin.hasPrefix("http:") || origin.hasPrefix("https:") else {
            return "the URL's scheme is not http or https"
        }
        if origin.utf8.contains(UInt8(ascii: "@")) {
            return "the URL contains a user name or password, which would be logged with it"
        }
        // Far above what any server accepts, far below what libcurl accepts.
        if address.utf8.count > 65_536 {
            return "the URL is longer than 64 KiB"
        }
        for header in headers where !header.isSendable {
            return "the header \(header.name) contains a byte that HTTP does not allow"
        }
        return nil
    }

    func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.isNamed(name) }
    }

    /// The number of redirects that the transfer follows: none if the request has a secret.
    var redirectsFollowed: Int {
        let isOpen = secrets.isEmpty && !query.contains(where: \.isSecret) && !headers.contains(where: \.isSecret)
        return isOpen ? redirects : 0
    }
}

// MARK: - Forms

/// A part of a `multipart/form-data` body (RFC 7578).
public struct MultipartPart: Hashable, Sendable {
    /// The form field's name.
    public var name: String
    /// The file name that is sent with the part; nil for a plain field.
    public var fileName: String?
    /// The media type.
    public var contentType: String
    /// The part's bytes.
    public var content: Data

    /// Creates a part.
    public init(_ name: String, fileName: String? = nil, contentType: String, content: Data) {
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
        self.content = content
    }
}

// MARK: - Query items and headers

/// A query item or a header: a name with a value.
///
/// A secret's value is in the request that is sent and nowhere else: every way of printing a field shows `***`.
public struct HTTPField: Hashable, Sendable {
    /// The name, sent as it is.
    public let name: String
    /// The value, not yet percent-encoded.
    public let value: String
    /// Whether the value must never be printed.
    public let isSecret: Bool

    /// Creates a field.
    public init(_ name: String, _ value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }
}

extension HTTPField: CustomStringConvertible, CustomReflectable {
    /// The field as a header line, with `***` for a secret value.
    public var description: String {
        "\(name): \(isSecret ? Redactor.mark : value)"
    }

    /// The mirror that `dump` prints, with `***` for a secret value.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": isSecret ? Redactor.mark : value])
    }
}

extension HTTPField {
    init?(line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isBlank: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        self.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Whether the field has this name, compared in ASCII without case (RFC 9110, 5.1).
    func isNamed(_ name: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the field is valid as one header line and cannot add another (RFC 9110, 5.1 and 5.5).
    var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

// MARK: - Public addresses

extension IPAddress {
    /// Follows IANA's special-purpose address registries. IPv6 addresses count as public only in the allocated global
    /// unicast space, without the blocks that embed an IPv4 address. Mapped addresses (`::ffff:0:0/96`) lie outside of
    /// it.
    var isPublic: Bool {
        if bytes.count == 4 { return !Self.reservedV4.contains(where: isIn) }
        return isIn(Self.globalV6) && !Self.reservedV6.contains(where: isIn)
    }

    /// The addresses that begin with these bytes, as far as the first `length` bits.
    private typealias Block = (bytes: [UInt8], length: Int)

    private func isIn(_ block: Block) -> Bool {
        (0..<block.length).allSatisfy { bit in
            let mask = UInt8(0x80) >> (bit % 8)
            let first = bit / 8 < block.bytes.count ? block.bytes[bit / 8] : 0
            return first & mask == bytes[bit / 8] & mask
        }
    }

    private static let reservedV4: [Block] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16),
        ([172, 16], 12), ([192, 0, 0], 24), ([192, 0, 2], 24), ([192, 88, 99], 24),
        ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24),
        ([224], 4), ([240], 4),
    ]
    private static let globalV6: Block = ([0x20], 3)
    private static let reservedV6: [Block] = [
        ([0x20, 0x01, 0x00], 23),  // protocol assignments, Teredo among them
        ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0x00], 20),  // documentation
        ([0x20, 0x02], 16),  // 6to4
    ]
}
