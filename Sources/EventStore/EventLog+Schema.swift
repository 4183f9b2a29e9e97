public import SQLite

extension EventLog {
    /// The log's tables, for the schema of the database that holds it.
    ///
    /// Topics are compared byte by byte (SQLite's `binary` collation). `event_place` has the topic, too, so that a page
    /// of one prefix passes over other events without reading them. The epoch is made with the tables, once, as a random
    /// UUID; an id is stored only if it was given, since the others follow from the place.
    public static let schema = Schema.Component(
        "events",
        migrations: [
            """
            create table event_epoch (epoch text not null) strict;
            insert into event_epoch (epoch) values (lower(
                hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
                substr('89AB', (random() & 3) + 1, 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
            ));

            create table event (
                number integer primary key,
                stream text not null,
                sequence integer not null,
                topic text not null,
                id text,
                body blob not null
            ) strict;
            create unique index event_place on event (stream, sequence, topic);
            create unique index event_id on event (id) where id is not null;

            create table event_stream (
                stream text primary key,
                newest integer not null
            ) strict, without rowid;

            create table event_topic (
                topic text primary key,
                stream text not null,
                newest integer not null
            ) strict, without rowid;
            """,
            // Null for what was appended without one.
            "alter table event add column checksum integer;",
            // Where a stream has come is known by its events.
            "drop table event_stream;",
        ])
}
