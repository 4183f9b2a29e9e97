/// SQL views of the charts in the log, for people who query the database; see docs/history.md.
///
/// No code of the project reads them. Their columns have the names of the events' fields, and the same values in both
/// engines.
enum ChartViews {
    static let sqlite = """
        create view chart_revision as
        select
            substr(topic, 9, instr(substr(topic, 9), '.') - 1) as kind,
            chart ->> '$.data.market' as market,
            chart ->> '$.data.span' as span,
            chart ->> '$.data.date' as date,
            coalesce(chart ->> '$.data.lastDay', chart ->> '$.data.date') as lastDay,
            chart ->> '$.data.revision' as revision,
            chart ->> '$.data.state' as state,
            chart ->> '$.time' as learnt,
            json_array_length(chart, '$.data.entries') as lines,
            coalesce(json_array_length(chart, '$.data.corrections'), 0) as corrections,
            sequence,
            sequence = newest as isNewest
        from (
            select topic, sequence, newest, cast(body as text) as chart
            from event join event_topic using (stream, topic) where stream = 'ranking'
        );

        create view chart_line as
        select substr(topic, -10) as date, substr(topic, 13, length(topic) - 23) as market, \(lines(of: "day"));

        create view week_chart_line as
        select
            chart ->> '$.data.span' as span, chart ->> '$.data.firstDay' as firstDay,
            chart ->> '$.data.lastDay' as lastDay, chart ->> '$.data.yearWeek' as yearWeek,
            chart ->> '$.data.market' as market,
            \(lines(of: "week"));
        """

    /// The columns of a line, and where they are from: the newest charts of a kind.
    private static func lines(of kind: String) -> String {
        let fields = columns.map { name, _ in "value ->> '\(name)' as \(name)" }.joined(separator: ", ")
        return """
            chart ->> '$.data.state' as state, chart ->> '$.data.revision' as revision, chart ->> '$.time' as learnt,
            \(fields)
            from (
                select topic, cast(body as text) as chart from event_topic join event using (stream, topic)
                where topic >= 'ranking.\(kind).' and topic < 'ranking.\(kind)/' and sequence = newest
            ), json_each(chart, '$.data.entries') as entry
            """
    }

    static let postgreSQL = """
        create view chart_revision as
        select
            split_part(topic, '.', 2) as kind,
            chart #>> '{data,market}' as market,
            chart #>> '{data,span}' as span,
            chart #>> '{data,date}' as date,
            coalesce(chart #>> '{data,lastDay}', chart #>> '{data,date}') as "lastDay",
            (chart #>> '{data,revision}')::bigint as revision,
            chart #>> '{data,state}' as state,
            chart ->> 'time' as learnt,
            jsonb_array_length(chart #> '{data,entries}')::bigint as lines,
            coalesce(jsonb_array_length(chart #> '{data,corrections}'), 0)::bigint as corrections,
            sequence,
            (sequence = newest)::int as "isNewest"
        from (
            select topic, sequence, newest, convert_from(body, 'UTF8')::jsonb as chart
            from event join event_topic using (stream, topic) where stream = 'ranking'
        ) as revision;

        create view chart_line as
        select
            right(topic, 10) as date, substr(topic, 13, length(topic) - 23) as market,
            \(postgreSQLLines(of: "day"));

        create view week_chart_line as
        select
            chart #>> '{data,span}' as span, chart #>> '{data,firstDay}' as "firstDay",
            chart #>> '{data,lastDay}' as "lastDay", chart #>> '{data,yearWeek}' as "yearWeek",
            chart #>> '{data,market}' as market,
            \(postgreSQLLines(of: "week"));
        """

    private static func postgreSQLLines(of kind: String) -> String {
        let fields = columns.map { name, type in
            // A Boolean is 0 or 1, as in SQLite, which has no other.
            let value = type == "int" ? "(value ->> '\(name)')::boolean" : "(value ->> '\(name)')"
            return "\(value)::\(type) as \"\(name)\""
        }.joined(separator: ", ")
        return """
            chart #>> '{data,state}' as state, (chart #>> '{data,revision}')::bigint as revision,
            chart ->> 'time' as learnt,
            \(fields)
            from (
                select topic, convert_from(body, 'UTF8')::jsonb as chart
                from event_topic join event using (stream, topic)
                where topic >= 'ranking.\(kind).' and topic < 'ranking.\(kind)/' and sequence = newest
            ) as newest, jsonb_array_elements(chart #> '{data,entries}') as entry (value)
            """
    }

    /// The fields of a line, with PostgreSQL's types.
    private static let columns = [
        ("line", "bigint"), ("rank", "bigint"), ("rankChange", "bigint"), ("isNew", "int"), ("movieCode", "text"),
        ("title", "text"), ("openDate", "text"), ("sales", "bigint"), ("salesShare", "float8"),
        ("salesDelta", "bigint"), ("salesChange", "float8"), ("salesTotal", "bigint"), ("audience", "bigint"),
        ("audienceDelta", "bigint"), ("audienceChange", "float8"), ("audienceTotal", "bigint"), ("screens", "bigint"),
        ("showings", "bigint"),
    ]
}
