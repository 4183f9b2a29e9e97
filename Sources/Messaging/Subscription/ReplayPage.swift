import Contract
import JSONCoding
import ZeroMQ

/// A page of a stream as its reader gets it: the answer to `replay`.
struct ReplayPage: Sendable {
    let epoch: String
    /// The events, in order, those left out that this program cannot read.
    let events: [Event]
    /// The place up to which nothing was left out.
    let position: SequenceNumber
    /// Whether the stream goes on after `position`.
    let more: Bool
}

extension ReplayPage {
    /// Reads the answer to a question about a stream after a place.
    init(_ reply: Reply, of stream: Stream, after: SequenceNumber) throws {
        if let failure = reply.failure { throw failure }
        guard reply.word == "events" else {
            throw ReplayPageError(what: "an answer called \(reply.word.debugDescription)")
        }
        let header = try JSON.decode(PageHeader.self, from: reply.body)
        guard header.stream == stream, let position = header.position else {
            throw ReplayPageError(what: "a page of another stream")
        }
        // Another log may be shorter; its page is only looked at for its epoch.
        guard !header.more || position > after else { throw ReplayPageError(what: "a page that leads nowhere") }
        epoch = header.epoch
        events = reply.events
        self.position = position
        more = header.more
    }

    /// An answer that is none.
    struct ReplayPageError: Error, CustomStringConvertible {
        let what: String
        var description: String { "the log answered with \(what)" }
    }
}

extension Reply {
    /// The events of an answer to `replay` or `latest`, in order, those left out that this program cannot read.
    var events: [Event] {
        stride(from: 2, to: frames.count - 1, by: 2).compactMap { index in
            Event(Message([frames[index], frames[index + 1]]))
        }
    }
}
