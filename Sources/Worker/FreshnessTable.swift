import Contract
import FoundationEssentials
import SQLite

/// When an upstream last confirmed the newest event of a topic, whether it said something new or not.
enum FreshnessTable {
    static let schema = Schema.Component(
        "checks",
        migrations: [
            """
            create table checked (
                topic text primary key,
                at integer not null
            ) strict, without rowid;
            """
        ])

    /// Notes that an upstream was asked at `time`, to the millisecond.
    static func note(_ topic: Topic, at time: Date, in connection: Connection) throws(DatabaseError) {
        try connection.execute(
            "insert into checked (topic, at) values (?, ?) on conflict (topic) do update set at = excluded.at",
            topic.description, Int(time.timeIntervalSince1970 * 1000))
    }

    /// The last topic, in the order of their texts, of those that begin with `prefix` and a digit.
    static func newest(_ prefix: String, in connection: Connection) throws(DatabaseError) -> Topic? {
        // The colon is the character after the digits.
        try connection.query(
            "select topic from checked where topic >= ? and topic < ? order by topic desc limit 1", prefix + "0",
            prefix + ":", as: Topic.self
        ).first
    }

    /// Makes every page of products stale, since one of them has changed by our own doing.
    static func forgetProductPages(in connection: Connection) throws(DatabaseError) {
        try connection.execute("delete from checked where topic >= 'products.' and topic < 'products/'")
    }

    /// When an upstream was last asked, or nil if it never was.
    static func last(_ topic: Topic, in connection: Connection) throws(DatabaseError) -> Date? {
        let times = try connection.query("select at from checked where topic = ?", topic.description, as: Int.self)
        return times.first.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
