import Health
import Storage

extension ReadModel {
    /// The tables.
    ///
    /// They are never migrated: `ReadModel.open` makes a database of another version anew. Each change of them must increase
    /// the version.
    static let schema = Schema(
        "mqbd", version: 2,
        """
        create table board (
            only integer primary key check (only = 1),
            epoch text not null
        ) strict;

        create table reading (
            source text primary key,
            position blob not null
        ) strict, without rowid;

        create table live_update (
            id integer primary key autoincrement,
            kind text not null,
            data blob not null
        ) strict;

        create table chart (
            topic text primary key,
            market text not null,
            span text not null,
            first_day text not null,
            revision integer not null,
            state text not null,
            data blob not null
        ) strict, without rowid;
        create index chart_day on chart (market, span, first_day);

        create table revision (
            topic text not null,
            revision integer not null,
            data blob not null,
            primary key (topic, revision)
        ) strict, without rowid;

        create table line (
            market text not null,
            day text not null,
            line integer not null,
            code text not null,
            title text not null,
            rank integer,
            audience integer,
            audience_total integer,
            sales integer,
            sales_total integer,
            screens integer,
            showings integer,
            primary key (market, day, line)
        ) strict, without rowid;
        create index line_movie on line (code, market, day);

        create table movie (
            code text primary key,
            title_english text,
            data blob not null
        ) strict, without rowid;

        create table poster (
            code text primary key,
            version text,
            found integer not null,
            data blob not null
        ) strict, without rowid;

        create table alert (
            sequence integer primary key,
            id text not null,
            rule text not null,
            day text,
            code text,
            title text,
            retracts text,
            data blob not null
        ) strict;
        create index alert_movie on alert (code, sequence);
        create index alert_rule on alert (rule);
        create index alert_retraction on alert (retracts) where retracts is not null;

        create table product (
            id integer primary key,
            data blob not null
        ) strict;

        create table product_page (
            page integer not null,
            per_page integer not null,
            time text not null,
            header blob not null,
            products blob not null,
            primary key (page, per_page)
        ) strict, without rowid;

        create table failure (
            sequence integer primary key,
            data blob not null
        ) strict;

        create table anomaly (
            sequence integer primary key,
            data blob not null
        ) strict;

        \(HealthCheck.table)
        """)
}
