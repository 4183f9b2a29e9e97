extension NotifierStore {
    /// The tables of the memory, beside the log's.
    ///
    /// `open_chart` holds the charts that a correction may still change, `film` what older ones say of films, `book` what
    /// else is known of a market, and `decision` the alerts of open days. `shelf_product` holds the shop's products as they
    /// were last seen, and `shelf` since when.
    static let migrations = [
        """
        create table known_chart (
            date text primary key,
            epoch text not null,
            sequence integer not null,
            chart blob not null
        ) strict, without rowid;
        """,
        """
        create table reading (
            id integer primary key check (id = 1),
            began text not null,
            position blob,
            since text,
            newest_day text
        ) strict;
        """,
        "alter table reading add column has_caught_up integer not null default 0;",
        // Without books the log is read again, and what has been read of it is history.
        """
        drop table known_chart;
        alter table reading drop column newest_day;
        alter table reading drop column has_caught_up;
        alter table reading add column history blob;

        create table book (
            market text primary key,
            newest_day text,
            leader text,
            leading_since text,
            leading_until text
        ) strict, without rowid;

        create table open_chart (
            market text not null,
            date text not null,
            sequence integer not null,
            chart blob not null,
            primary key (market, date)
        ) strict, without rowid;

        create table film (
            market text not null,
            code text not null,
            first_day text,
            last_day text,
            best_day text,
            best_audience integer,
            total integer,
            owed blob,
            primary key (market, code)
        ) strict, without rowid;

        create table decision (
            id text primary key,
            market text not null,
            date text not null,
            is_standing integer not null
        ) strict, without rowid;
        create index decision_day on decision (market, date);
        insert into decision (id, market, date, is_standing)
            select id, 'all', substr(topic, -10), 1 from event where stream = 'alert' and id is not null;
        """,
        // Alerts that are about no film were among those that a chart may take back.
        """
        delete from decision where id like 'anomaly.%';

        create table shelf (
            id integer primary key check (id = 1),
            began integer not null,
            opened integer
        ) strict;

        create table shelf_product (
            id integer primary key,
            seen integer not null,
            name text,
            currency text,
            price text,
            discount text,
            bargain_price text,
            stock integer
        ) strict;
        """,
    ]
}
