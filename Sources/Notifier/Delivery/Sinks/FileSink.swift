import Dispatch
import FoundationEssentials
import Glibc

/// A file of events, one line of JSON each; what is taken is on disk.
///
/// Others may append to it and move it away: it is opened for each letter.
struct FileSink: Sink {
    let path: String
    private let queue = DispatchQueue(label: "marquee.file-sink")

    let secrets: [String] = []

    /// Makes a sink; the file is made when there is something to write.
    init(path: String) {
        self.path = path
    }

    func send(_ letter: SinkMessage, at now: Date) async -> SinkResponse {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: append(letter)) }
        }
    }

    private func append(_ letter: SinkMessage) -> SinkResponse {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { return failure("opening") }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        // A process that was killed in the middle of a line has left it open.
        var last = UInt8(ascii: "\n")
        let lineIsOpen = size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
        let lines = letter.alerts.flatMap { $0.body + [UInt8(ascii: "\n")] }
        let bytes = lineIsOpen ? [UInt8(ascii: "\n")] + lines : lines
        let count = write(descriptor, bytes, bytes.count)
        guard count == bytes.count else {
            let answer = failure("writing")
            // A part of a letter is none; the next attempt writes the whole.
            if size >= 0, count > 0 { _ = ftruncate(descriptor, size) }
            return answer
        }
        guard fsync(descriptor) == 0 else { return failure("writing") }
        return SinkResponse(verdict: .taken, text: "\(bytes.count) bytes written")
    }

    private func failure(_ action: String) -> SinkResponse {
        SinkResponse(verdict: .failed(), text: "\(action) \(path): \(String(cString: strerror(errno)))")
    }
}
