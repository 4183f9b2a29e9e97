/// SQL views of the charts in the log, for people who query the database; see docs/history.md. No code of the project
/// reads them. Their columns have the names of the events' fields, and the same values in both engines.
enum ChartViews {
    static let sqlite = views(
        chart: "cast(body as text)", entries: "json_each(chart, '$.data.entries') as entry",
        count: { "json_array_length(chart, '$.data.\($0)')" }, field: { path, _ in "chart ->> '$.\(path)'" },
        entryField: { name, _ in "value ->> '\(name)'" })

    static let postgreSQL = views(
        chart: "convert_from(body, 'UTF8')::jsonb",
        entries: "jsonb_array_elements(chart #> '{data,entries}') as entry (value)",
        count: { "jsonb_array_length(chart #> '{data,\($0)}')::bigint" },
        field: { path, type in "(chart #>> '{\(path.split(separator: ".").joined(separator: ","))}')::\(type)" },
        entryField: { name, type in
            // A Boolean is 0 or 1, as in SQLite, which has no other.
            "(value ->> '\(name)')" + (type == "int" ? "::boolean::int" : "::\(type)")
        })

    private static func views(
        chart: String, entries: String, count: (String) -> String, field: (_ path: String, _ type: String) -> String,
        entryField: (_ name: String, _ type: String) -> String
    ) -> String {
        func text(_ name: String) -> String { "\(field("data.\(name)", "text")) as \"\(name)\"" }
        let revision = "\(field("data.revision", "bigint")) as revision, \(field("time", "text")) as learnt"
        /// The columns of a line, and where they are from: the newest charts of a kind.
        func lines(of kind: String) -> String {
            """
            \(text("state")), \(revision),
            \(columns.map { name, type in "\(entryField(name, type)) as \"\(name)\"" }.joined(separator: ", "))
            from (
                select topic, \(chart) as chart from event_topic join event using (stream, topic)
                where topic >= 'ranking.\(kind).' and topic < 'ranking.\(kind)/' and sequence = newest
            ) as newest, \(entries);
            """
        }
        return """
            create view chart_revision as
            select
                case when topic like 'ranking.day.%' then 'day' else 'week' end as kind,
                \(text("market")), \(text("span")), \(text("date")),
                coalesce(\(field("data.lastDay", "text")), \(field("data.date", "text"))) as "lastDay",
                \(revision), \(text("state")),
                \(count("entries")) as lines, coalesce(\(count("corrections")), 0) as corrections,
                sequence, case when sequence = newest then 1 else 0 end as "isNewest"
            from (
                select topic, sequence, newest, \(chart) as chart
                from event join event_topic using (stream, topic) where stream = 'ranking'
            ) as revision;

            create view chart_line as
            select
                substr(topic, length(topic) - 9) as date, substr(topic, 13, length(topic) - 23) as market,
                \(lines(of: "day"))

            create view week_chart_line as
            select
                \(["span", "firstDay", "lastDay", "yearWeek", "market"].map(text).joined(separator: ", ")),
                \(lines(of: "week"))
            """
    }

    private static let columns = [
        ("line", "bigint"), ("rank", "bigint"), ("rankChange", "bigint"), ("isNew", "int"), ("movieCode", "text"),
        ("title", "text"), ("openDate", "text"), ("sales", "bigint"), ("salesShare", "float8"),
        ("salesDelta", "bigint"), ("salesChange", "float8"), ("salesTotal", "bigint"), ("audience", "bigint"),
        ("audienceDelta", "bigint"), ("audienceChange", "float8"), ("audienceTotal", "bigint"), ("screens", "bigint"),
        ("showings", "bigint"),
    ]
}
