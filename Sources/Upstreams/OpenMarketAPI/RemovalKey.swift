import FoundationEssentials
import Networking
import OpenMarket
import Text

/// Where a product can be removed, which only its vendor is told.
public struct RemovalKey: Hashable, Sendable {
    /// The address; it holds the secret.
    let url: String
    /// The part of it that nobody may see.
    let secret: String

    /// Reads what the market answers: the product's secret, or the path that ends in it.
    init(
        _ text: String, of id: ProductID, generation: OpenMarketAPI.Generation, url: String
    ) throws(UpstreamError) {
        let path: String
        switch generation {
        case .v3: path = "/api/products/\(id)/\(text)"
        case .v4: path = text.hasPrefix("/") ? text : "/\(text)"
        }
        let words = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard words.count >= 2, path.utf8.count <= 1_024, let last = words.last, !last.isEmpty,
            // What is more than a word could lead to another call: nothing from an answer goes into a path unchecked.
            words.allSatisfy({ $0 != "." && $0 != ".." && $0.utf8.allSatisfy(Self.isPlain) && !$0.isEmpty })
        else {
            throw UpstreamError(
                service: OpenMarketAPI.service, kind: .invalid,
                message: "the answer is no key to remove a product with",
                status: 200)
        }
        self.url = url + path
        secret = String(last)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-_.~!$&'()*+,;=:@".utf8.contains(byte)
        }
    }
}

extension RemovalKey: CustomStringConvertible, CustomReflectable {
    /// That there is one, and nothing of it.
    public var description: String { Redactor.mark }

    /// What `dump` shows: the same.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
