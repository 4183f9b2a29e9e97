import Foundation
import Testing

@testable import Crypto

@Suite struct DigestTests {
    @Test("SHA-256 of the standard's own examples")
    func sha256() {
        #expect(
            SHA256.hexDigest(of: Data("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(SHA256.hexDigest(of: [UInt8]()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("HMAC-SHA256 matches RFC 4231")
    func messageCode() {
        // Test case 2.
        let code = HMACSHA256.authenticationCode(
            for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(
            code.map { $0 / 16 == 0 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
