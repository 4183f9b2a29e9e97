import Contract
import FoundationEssentials
public import SQLite

extension EventLog {
    /// Makes the log in a database a new one that begins with the same events, and returns its epoch.
    ///
    /// For a log that goes on from an older state, as after a restore: its next events get numbers that others have had,
    /// and must not be taken for those. The events it has are of the new epoch from then on, but keep their ids, by
    /// which a reader that begins anew, as it must, knows them again.
    ///
    /// See docs/decisions/0007-new-epoch-after-a-restore.md.
    public static func beginEpoch(in connection: Connection) throws(DatabaseError) -> String {
        let old = try connection.query("select max(epoch) from event_epoch", as: String.self)[0]
        let new = UUID().uuidString.lowercased()
        try connection.execute("update event_epoch set epoch = ?", new)
        try forEachEvent(in: connection) { number, event, _ throws(DatabaseError) in
            let (envelope, moved): (Event, LoggedEvent)
            do throws(DecodingError) {
                envelope = try Event(topic: event.topic, body: event.body)
                moved = try LoggedEvent(envelope, epoch: new)
            } catch {
                throw connection.damage("event \(event.sequence) of \(event.stream.rawValue) cannot be read: \(error)")
            }
            guard envelope.epoch == old else {
                throw connection.damage("event \(event.sequence) of \(event.stream.rawValue) is of another epoch")
            }
            try connection.execute(
                "update event set body = ?, checksum = ? where number = ?", moved.body, Checksum(of: moved), number)
        }
        return new
    }
}
