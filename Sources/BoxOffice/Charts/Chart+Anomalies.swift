extension Chart {
    /// The largest loss of a movie's total audience that counts as a correction.
    ///
    /// In all recorded charts, the largest loss is 14, and no correction changes a total by more than about 80.
    static let largestCorrection = 100

    /// Fewer entries than this may have equal figures by chance.
    private static let fewestToRepeat = 3

    /// Returns the anomalies of this chart compared with its earlier revision and the chart of the day before, where
    /// those are known: at most one of each kind.
    public func anomalies(after earlier: Chart?, dayBefore: Chart?) -> [Anomaly] {
        anomalies(after: earlier, before: dayBefore, called: "the chart of \(date)", "the day before")
    }

    /// Returns the same for a chart whose sentences say `name`, and `nameBefore` for the chart before it.
    func anomalies(
        after earlier: Chart?, before: Chart?, called name: String, _ nameBefore: String
    ) -> [Anomaly] {
        [
            missing(earlier, before, nameBefore), shrunk([earlier, before].compactMap(\.self)),
            repeated(before, nameBefore),
        ]
        .compactMap(\.self).map { anomaly in
            var anomaly = anomaly
            anomaly.text = "\(name) \(anomaly.text)"
            return anomaly
        }
    }

    private func missing(_ earlier: Chart?, _ before: Chart?, _ nameBefore: String) -> Anomaly? {
        if let lines = earlier?.entries.count, entries.count < lines {
            return anomaly(
                .missing, expected: lines, found: entries.count, "has \(lineCount) and had \(lines)")
        }
        // A small market may have fewer than ten movies on a day; the whole market never does.
        if market == .all, let lines = before?.entries.count, entries.count < lines {
            let text = "has \(lineCount), and \(nameBefore) has \(lines)"
            return anomaly(.missing, expected: lines, found: entries.count, text)
        }
        return nil
    }

    private var lineCount: String { entries.count == 1 ? "1 line" : "\(entries.count) lines" }

    private func shrunk(_ others: [Chart]) -> Anomaly? {
        var worst: (loss: Int, movie: ChartEntry, before: Int)?
        for other in others {
            let totals = Dictionary(
                uniqueKeysWithValues: other.entries.firstLines.map { ($0.movieCode, $0.audienceTotal) })
            for entry in entries.firstLines {
                guard let before = totals[entry.movieCode] ?? nil, let after = entry.audienceTotal else { continue }
                // The figures come from outside: one that overflows is ignored.
                let (loss, isAbsurd) = before.subtractingReportingOverflow(after)
                guard !isAbsurd, loss > worst?.loss ?? Self.largestCorrection else { continue }
                worst = (loss, entry, before)
            }
        }
        guard let (loss, movie, before) = worst, let after = movie.audienceTotal else { return nil }
        let text = "takes \(loss.grouped) from the admissions so far of \(movie.title), which were \(before.grouped)"
        var anomaly = anomaly(.shrunk, expected: before, found: after, text)
        anomaly.movieCode = movie.movieCode
        anomaly.title = movie.title
        return anomaly
    }

    private func repeated(_ before: Chart?, _ nameBefore: String) -> Anomaly? {
        guard entries.count >= Self.fewestToRepeat else { return nil }
        let figures = Row(entries[0], ofAnyMovie: true)
        if entries.allSatisfy({ Row($0, ofAnyMovie: true) == figures }) {
            return anomaly(.repeated, expected: entries.count, found: 1, "has the same figures on each of its lines")
        }
        guard let before, entries.map({ Row($0) }) == before.entries.map({ Row($0) }) else { return nil }
        return anomaly(.repeated, expected: 1, found: 0, "has the same figures as that of \(nameBefore)")
    }

    private func anomaly(_ kind: Anomaly.Kind, expected: Int, found: Int, _ text: String) -> Anomaly {
        Anomaly(kind, of: date, in: market, expected: expected, found: found, text: text)
    }

    /// The figures that are never equal in two charts by chance.
    private struct Row: Equatable {
        let movieCode: MovieCode?
        let sales: Int?
        let audience: Int?
        let audienceTotal: Int?

        init(_ entry: ChartEntry, ofAnyMovie: Bool = false) {
            movieCode = ofAnyMovie ? nil : entry.movieCode
            sales = entry.sales
            audience = entry.audience
            audienceTotal = ofAnyMovie ? entry.audienceTotal : nil
        }
    }
}

extension WeekChart {
    /// Returns the anomalies of this chart compared with its earlier revision and the chart of the same days of the week
    /// before, where those are known: at most one of each kind.
    public func anomalies(after earlier: WeekChart?, weekBefore: WeekChart?) -> [Anomaly] {
        chart.anomalies(
            after: earlier?.chart, before: weekBefore?.chart, called: "the \(week.span.rawValue) chart of \(week)",
            "the week before"
        ).map { anomaly in
            var anomaly = anomaly
            anomaly.span = week.span
            return anomaly
        }
    }
}
