import Concurrency
import Foundation

/// Collects the lines of a pipe on a thread of its own, for any number of waiters.
final class Lines: Sendable {
    private struct State {
        var lines: [String] = []
        var isEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Reads until the last writer has closed the pipe.
    init(_ handle: FileHandle) {
        let thread = Thread { [self] in
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    add(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
            change { $0.isEnded = true }
        }
        thread.start()
    }

    /// What has come so far.
    var all: [String] { state.withLock { $0.lines } }

    /// Waits for the first line that `match` makes something of, also one that has come already; nil if there is none.
    func first<Value>(_ match: (String) -> Value?) async -> Value? {
        var next = 0
        while true {
            let (fresh, isEnded) = state.withLock { state in
                defer { next = state.lines.count }
                return (Array(state.lines[next...]), state.isEnded)
            }
            for line in fresh {
                if let value = match(line) { return value }
            }
            if isEnded { return nil }
            await changed(after: next)
        }
    }

    /// Waits for the end.
    func end() async {
        _ = await first { _ -> Never? in nil }
    }

    private func add(_ line: String) {
        change { $0.lines.append(line) }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func changed(after count: Int) async {
        await withCheckedContinuation { continuation in
            let isNew = state.withLock { state in
                let isNew = state.lines.count != count || state.isEnded
                if !isNew { state.waiting.append(continuation) }
                return isNew
            }
            if isNew { continuation.resume() }
        }
    }
}
