import Contract
import FoundationEssentials
import SQLite
import Text

/// When an upstream last confirmed the newest event of a topic, whether the answer was new or not.
enum FreshnessTable {
    static let table = """
        create table checked (
            topic text primary key,
            at integer not null
        ) strict, without rowid;
        """

    /// Stores when an upstream was asked for a topic, rounded down to the millisecond.
    static func setLastCheck(of topic: Topic, to time: Date, in connection: Connection) throws(DatabaseError) {
        try connection.execute(
            "insert into checked (topic, at) values (?, ?) on conflict (topic) do update set at = excluded.at",
            topic.description, time.millisecondsSince1970)
    }

    /// Returns when an upstream was last asked for a topic, or nil if it never was.
    static func lastCheck(of topic: Topic, in connection: Connection) throws(DatabaseError) -> Date? {
        let times = try connection.query("select at from checked where topic = ?", topic.description, as: Int.self)
        return times.first.map(Date.init(millisecondsSince1970:))
    }

    /// Returns the last topic, in the order of their texts, of those that begin with `prefix` and a digit.
    static func newestTopic(withPrefix prefix: String, in connection: Connection) throws(DatabaseError) -> Topic? {
        // The colon is the character after the digits.
        try connection.query(
            "select topic from checked where topic >= ? and topic < ? order by topic desc limit 1", prefix + "0",
            prefix + ":", as: Topic.self
        ).first
    }

    /// Makes every page of products stale, because an order of ours has changed one of the products.
    static func expireProductPages(in connection: Connection) throws(DatabaseError) {
        try connection.execute("delete from checked where topic >= 'products.' and topic < 'products/'")
    }
}
