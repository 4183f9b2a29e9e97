import Contract
import EventStore

extension PageHeader {
    /// The header of a page of a stream.
    init(_ page: EventLog.Frames, of stream: Stream, epoch: String) {
        self.init(epoch: epoch, stream: stream, position: page.position, more: page.more)
    }

    /// The header of the newest events of the topics that begin with a prefix.
    init(_ snapshot: EventLog.Snapshot, prefix: String, epoch: String) {
        let stream = Stream(ofPrefix: prefix)
        self.init(
            epoch: epoch, stream: stream, position: stream.map { snapshot.positions[$0] ?? .zero },
            more: snapshot.more, positions: snapshot.positions)
    }
}
