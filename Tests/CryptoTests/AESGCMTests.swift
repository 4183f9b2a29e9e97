import Testing

@testable import Crypto

@Suite struct AESGCMTests {
    private let cipher = AESGCM(key: AESGCM.randomKey())

    @Test("a message that was sealed can be opened, with the same key and context only")
    func roundTrip() {
        for message in ["", "a", String(repeating: "secret", count: 1_000)].map({ Array($0.utf8) }) {
            let sealed = cipher.seal(message, context: [1, 2])
            #expect(cipher.open(sealed, context: [1, 2]) == message)
            #expect(cipher.open(sealed, context: [1, 3]) == nil)
            #expect(cipher.open(sealed, context: []) == nil)
            #expect(AESGCM(key: AESGCM.randomKey()).open(sealed, context: [1, 2]) == nil)
        }
    }

    @Test("a change of any byte is noticed, and so is a cut")
    func changed() {
        let sealed = cipher.seal(Array("secret".utf8), context: [])
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(cipher.open(changed, context: []) == nil)
            #expect(cipher.open(Array(sealed[..<index]), context: []) == nil)
        }
    }

    @Test("the same message is sealed differently each time")
    func nonces() {
        let sealed = (0..<100).map { _ in cipher.seal([7], context: []) }
        #expect(Set(sealed).count == 100)
    }

    /// Test case 15 of "The Galois/Counter Mode of Operation" by McGrew and Viega.
    @Test("the published message of AES-256-GCM is opened")
    func published() {
        let bytes = { (text: String) in
            stride(from: 0, to: text.utf8.count, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16) ?? 0 }
        }
        let cipher = AESGCM(key: bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let sealed =
            "cafebabefacedbaddecaf888"
            + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e63"
            + "93ba7a0abcc9f662898015ad" + "b094dac5d93471bdec1a502270e3cc6c"
        let message =
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5"
            + "aa0de657ba637b391aafd255"
        #expect(cipher.open(bytes(sealed), context: []) == bytes(message))
    }
}
