import Foundation
import JSONCoding
import Testing

struct WriterTests {
    @Test(
        "Numbers are written with all their digits", arguments: [0, 7, -7, 10, 99, 100, -1_000_000, Int.max, Int.min])
    func numbers(number: Int) {
        #expect(number.json == Array("\(number)".utf8))
    }

    @Test("A writer with any initial capacity has all that was written", arguments: [0, 1, 64, 10_000])
    func growth(capacity: Int) throws {
        let texts = (0..<20).map { count in (0..<count).map { String(repeating: "파\n\"", count: $0 * $0) } }
        var json = JSONWriter(capacity: capacity)
        texts.write(to: &json)
        #expect(try JSONDecoder().decode([[String]].self, from: Data(json.bytes)) == texts)
    }
}
