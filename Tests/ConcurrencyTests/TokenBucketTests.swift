import Testing

@testable import Concurrency

@Suite struct TokenBucketTests {
    private func count(_ bucket: inout TokenBucket, at now: Duration) -> Int {
        (0..<1_000).prefix { _ in bucket.takeToken(at: now) }.count
    }

    @Test("a full bucket allows a burst, then as many tokens as are added")
    func burst() {
        var bucket = TokenBucket(capacity: 10, refillPerSecond: 2, at: .seconds(100))
        #expect(count(&bucket, at: .seconds(100)) == 10)
        #expect(count(&bucket, at: .milliseconds(100_499)) == 0)
        #expect(count(&bucket, at: .milliseconds(100_500)) == 1)
        #expect(count(&bucket, at: .seconds(102)) == 3)
        #expect(count(&bucket, at: .seconds(1_000)) == 10)
    }

    @Test("a time that runs backwards neither adds nor removes tokens")
    func backwards() {
        var bucket = TokenBucket(capacity: 2, refillPerSecond: 1, at: .seconds(10))
        let taken = [.zero, .seconds(10), .seconds(10)].map { bucket.takeToken(at: $0) }
        #expect(taken == [true, true, false])
    }
}
