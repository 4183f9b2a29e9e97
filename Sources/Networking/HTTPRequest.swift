public import FoundationEssentials
internal import Text

/// What to ask of whom, how long to wait for it, and how much of an answer to take.
///
/// Equal requests are the same question: ``HTTPClient`` lets them share one transfer.
public struct HTTPRequest: Hashable, Sendable {
    /// What is to be done.
    public enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Whether the request only reads, so that callers may share it (RFC 9110, 9.2.1).
        var isSafe: Bool { self == .get || self == .head }
        /// Whether doing it twice is doing it once, so that it may be tried again (RFC 9110, 9.2.2).
        var isIdempotent: Bool { self != .post && self != .patch }
    }

    /// Where the request may go.
    public enum AddressPolicy: Sendable {
        /// Wherever the URL leads: for addresses from the configuration.
        case anyAddress
        /// Only to addresses of the public internet, looked at when connecting and again at each redirect: for
        /// addresses that strangers wrote.
        case publicAddressesOnly
    }

    /// What is to be done.
    public var method: Method
    /// The `http` or `https` address without the query items below. Bytes that no URL may hold are percent-encoded.
    public var url: String
    /// The parts of that address that nobody may see, such as a token in its path.
    public var secrets: [String]
    /// What is added to the address as its query.
    public var query: [HTTPField]
    /// The headers besides those that HTTP itself needs.
    public var headers: [HTTPField]
    /// What is sent with it.
    public var body: Data?
    /// What is sent in the place of a body, part by part; nothing where it is empty.
    public var form: [MultipartPart]
    /// The time for everything: waiting for a place, all attempts, and the pauses between them.
    public var deadline: Duration
    /// The bytes that an answer may have once it is unpacked.
    public var responseLimit: Int
    /// The redirects to follow. A request with a secret follows none: the secret would go along to whoever is named.
    public var redirects: Int
    /// Where the request may go.
    public var reach: AddressPolicy

    /// Makes a request.
    public init(
        _ url: String, secrets: [String] = [], method: Method = .get, query: [HTTPField] = [],
        headers: [HTTPField] = [], body: Data? = nil, form: [MultipartPart] = [],
        deadline: Duration = .seconds(30), responseLimit: Int = 8 << 20, redirects: Int = 0,
        reach: AddressPolicy = .anyAddress
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
        self.reach = reach
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the address, secrets as `***`.
    public var description: String {
        "\(method.rawValue) \(redactor.redact(address { $0.isSecret ? Redactor.mark : $0.value.percentEncoded }))"
    }

    /// What `dump` shows: the same.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }

    /// What must not be seen of anything that this request brings about.
    var redactor: Redactor {
        let items = query.filter(\.isSecret).map(\.value)
        let credentials = headers.filter(\.isSecret).map(\.value)
        // Of `Authorization: KakaoAK 1a2b…` messages repeat what follows the scheme (RFC 9110, 11.6.2).
        let bare = credentials.flatMap { $0.split(separator: " ", maxSplits: 1).dropFirst().map(String.init) }
        return Redactor(secrets + items + credentials + bare + [userInfo])
    }

    /// The name and password that somebody may have written into the address.
    private var userInfo: String {
        let authority =
            url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        return authority.lastIndex(of: "@").map { String(authority[..<$0]) } ?? ""
    }
}
