import Glibc
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite(.patience) struct LogWriterTests {
    private let reading: Int32
    private let writing: Int32

    /// Makes a pipe that is full, so that the first line already finds no room.
    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        let filling = [UInt8](repeating: UInt8(ascii: "-"), count: 4096)
        while Glibc.write(writing, filling, filling.count) > 0 {}
    }

    /// Reads lines with the numbers from `first`, until `last` was read or is among those that are said to be missing.
    ///
    /// Returns how many are missing.
    private func readLines(_ first: Int, through last: Int) async throws -> Int {
        var log: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        var (next, missing) = (first, 0)
        try await waitUntil("the log has reached line \(last)") {
            let count = read(reading, &part, part.count)
            if count > 0 { log += part.prefix(count).drop { $0 == UInt8(ascii: "-") } }
            while let end = log.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: log[..<end], as: UTF8.self)
                log.removeFirst(end + 1)
                if let gap = line.split(separator: " ").first.flatMap({ Int($0) }) {
                    missing += gap
                    next += gap
                } else {
                    #expect(line == "line \(next)")
                    next += 1
                }
            }
            return next
        } is: {
            $0 > last
        }
        #expect(next == last + 1)
        return missing
    }

    @Test(
        "who logs never waits: lines that find the queue full are dropped, and a line in their place says how many",
        arguments: [true, false])
    func unread(isBlocking: Bool) async throws {
        if isBlocking { try #require(fcntl(writing, F_SETFL, 0) == 0) }
        let writer = LogWriter(writing, limit: 1000)
        func log(_ line: String) { writer.write(Array("\(line)\n".utf8)) { Array("\($0) are missing\n".utf8) } }
        for number in 0..<1000 { log("line \(number)") }
        #expect(writer.dropped > 0)
        #expect(try await readLines(0, through: 999) == writer.dropped)
        let dropped = writer.dropped
        log("line 1000")
        #expect(try await readLines(1000, through: 1000) == 0)
        #expect(writer.dropped == dropped)
    }

    @Test("the lines of a log are written in their order before the process ends")
    func end() async throws {
        let ending = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let logger = Logger(label: "test")
            for number in 0..<5000 { logger.info("line", [.count: number]) }
            // It gives up after two seconds, and a busy reader takes longer.
            while !LogWriter.standardError.flush() {}
            _exit(0)
        }
        let text = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.contains("test: line") }
        #expect(lines.count == 5000)
        #expect(zip(lines, 0..<5000).allSatisfy { $0.hasSuffix(" count=\($1)") })
    }
}
