import SQLite

/// SQL views of the charts in the log, for people who query the database; see docs/history.md.
///
/// No code of the project reads them. Their columns have the names of the events' fields.
enum ChartViews {
    static let views = """
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
        select
            substr(topic, -10) as date, substr(topic, 13, length(topic) - 23) as market,
            chart ->> '$.data.state' as state, chart ->> '$.data.revision' as revision, chart ->> '$.time' as learnt,
            \(lineColumns)
        from (
            select topic, cast(body as text) as chart from event_topic join event using (stream, topic)
            where topic >= 'ranking.day.' and topic < 'ranking.day/' and sequence = newest
        ), json_each(chart, '$.data.entries') as entry;

        create view week_chart_line as
        select
            chart ->> '$.data.span' as span, chart ->> '$.data.firstDay' as firstDay,
            chart ->> '$.data.lastDay' as lastDay, chart ->> '$.data.yearWeek' as yearWeek,
            chart ->> '$.data.market' as market,
            chart ->> '$.data.state' as state, chart ->> '$.data.revision' as revision, chart ->> '$.time' as learnt,
            \(lineColumns)
        from (
            select topic, cast(body as text) as chart from event_topic join event using (stream, topic)
            where topic >= 'ranking.week.' and topic < 'ranking.week/' and sequence = newest
        ), json_each(chart, '$.data.entries') as entry;
        """

    private static let lineColumns = [
        "line", "rank", "rankChange", "isNew", "movieCode", "title", "openDate", "sales", "salesShare", "salesDelta",
        "salesChange", "salesTotal", "audience", "audienceDelta", "audienceChange", "audienceTotal", "screens",
        "showings",
    ].map { "value ->> '\($0)' as \($0)" }.joined(separator: ", ")
}
