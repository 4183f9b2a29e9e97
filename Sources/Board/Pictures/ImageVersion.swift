import FoundationEssentials
import Networking

/// What the board calls a stranger's picture in its own addresses: no visitor can name one that no event has named.
struct ImageVersion: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// Makes the version of the picture at an address.
    init(of url: String) {
        description = String(SHA256.hexDigest(of: Array(url.utf8)).prefix(16))
    }
}
