import Networking
import OpenMarket
import Text

/// The URL by which a product's vendor can remove it.
public struct RemovalKey: Hashable, Sendable {
    /// The URL; it contains the secret.
    let url: String
    /// The secret part of the URL.
    let secret: String

    /// Reads the reply: the product's secret, or a path that ends in it.
    ///
    /// - Throws: `invalid` if the reply is not a plain path.
    init(
        _ text: String, of id: ProductID, generation: OpenMarketAPI.Generation, url: String
    ) throws(UpstreamError) {
        let path: String
        switch generation {
        case .v3: path = "/api/products/\(id)/\(text)"
        case .v4: path = text.hasPrefix("/") ? text : "/\(text)"
        }
        let segments = path.parts(between: "/", keepsEmpty: true).dropFirst()
        guard segments.count >= 2, path.utf8.count <= 1_024, let last = segments.last, !last.isEmpty,
            // The reply is untrusted: a separator or dot segment in it could lead to another call.
            segments.allSatisfy({ $0 != "." && $0 != ".." && $0.allSatisfy(Self.isPlain) && !$0.isEmpty })
        else {
            throw UpstreamError(
                service: OpenMarketAPI.service, kind: .invalid,
                message: "the response is not a removal key", status: 200)
        }
        self.url = url + path
        secret = String(last)
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~!$&'()*+,;=:@".contains(character))
    }
}

extension RemovalKey: CustomStringConvertible, CustomReflectable {
    /// `***`: the key is secret.
    public var description: String { Redactor.mark }

    /// The mirror that `dump` prints: `***`.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
