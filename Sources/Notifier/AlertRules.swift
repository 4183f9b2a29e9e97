import BoxOffice
import Events

/// The rules, as the contract words them: what two charts that follow each other say about films.
///
/// Knows nothing of what was said before; a decision's id is what tells that it was taken already.
public struct AlertRules: Hashable, Sendable {
    /// From how many ranks on a rise or a fall is worth an alert.
    public let threshold: Int

    /// Makes the rules; a threshold below one counts as one, because a film that keeps its rank neither rises nor falls.
    public init(threshold: Int = 3) {
        self.threshold = max(1, threshold)
    }

    /// What fires for a chart, given the chart of the calendar's day before if it is known.
    ///
    /// In line order, for one film in the order entered, rose, fell, lead; then the films that left, by their last lines.
    public func alerts(for day: LoggedChart, before: LoggedChart?) -> [Alert] {
        let comparison = Comparison(day: day, before: before, threshold: threshold)
        var ids: Set<String> = []  // a chart that names a film twice says nothing twice
        return (comparison.ofThoseHere + comparison.ofThoseGone).filter { ids.insert($0.id).inserted }
    }
}

/// A chart beside the one of the day before.
private struct Comparison {
    let day: LoggedChart
    let before: LoggedChart?
    let threshold: Int

    var ofThoseHere: [Alert] {
        let leader = before?.chart.entries.first { $0.line == 1 }
        return day.chart.entries.sorted { $0.line < $1.line }.flatMap { entry in
            var alerts: [Alert] = []
            if entry.isNew { alerts.append(entered(entry)) }
            if !entry.isNew, let change = entry.rankChange {
                if change >= threshold { alerts.append(moved(.rose, entry)) }
                if change <= -threshold { alerts.append(moved(.fell, entry)) }
            }
            if entry.line == 1, let leader, leader.movieCode != entry.movieCode {
                alerts.append(lead(entry, over: leader))
            }
            return alerts
        }
    }

    var ofThoseGone: [Alert] {
        let here = Set(day.chart.entries.map(\.movieCode))
        let gone = before?.chart.entries.filter { !here.contains($0.movieCode) } ?? []
        return gone.sorted { $0.line < $1.line }.map(left)
    }

    private func entered(_ entry: ChartEntry) -> Alert {
        alert(
            .entered, entry, rank: entry.rank, previousRank: nil, change: nil,
            values: values(of: entry, [.audience, .audienceTotal, .openDate]),
            text: .entered(entry), evidence: [day.position])
    }

    private func moved(_ rule: AlertRule, _ entry: ChartEntry) -> Alert {
        var values = values(of: entry, [.audience, .audienceTotal])
        values["threshold"] = .integer(threshold)
        return alert(
            rule, entry, rank: entry.rank, previousRank: entry.rankBefore, change: entry.rankChange, values: values,
            text: .moved(entry), evidence: [day.position])
    }

    private func lead(_ entry: ChartEntry, over leader: ChartEntry) -> Alert {
        var values = values(of: entry, [.audience, .audienceTotal])
        values["previousLeader"] = .text(leader.movieCode.description)
        values["previousLeaderTitle"] = .text(leader.title)
        let last = before?.chart.entries.first { $0.movieCode == entry.movieCode }
        return alert(
            .lead, entry, rank: entry.rank, previousRank: entry.rankBefore ?? last?.rank,
            change: entry.isNew ? nil : entry.rankChange, values: values, text: .lead(entry, over: leader),
            evidence: [day.position] + (before.map { [$0.position] } ?? []))
    }

    private func left(_ entry: ChartEntry) -> Alert {
        alert(
            .left, entry, rank: nil, previousRank: entry.rank, change: nil,
            values: values(of: entry, [.audienceTotal]), text: .left(entry),
            evidence: [day.position] + (before.map { [$0.position] } ?? []))
    }

    private func values(of entry: ChartEntry, _ fields: [ChartEntry.Field]) -> [String: ChartEntry.Value] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.rawValue, entry[$0]) })
    }

    private func alert(
        _ rule: AlertRule, _ entry: ChartEntry, rank: Int?, previousRank: Int?, change: Int?,
        values: [String: ChartEntry.Value], text: Alert.Text, evidence: [Alert.Evidence]
    ) -> Alert {
        Alert(
            rule: rule, date: day.chart.date, movieCode: entry.movieCode, title: entry.title, rank: rank,
            previousRank: previousRank, change: change, severity: .init(rank: rank, previousRank: previousRank),
            values: values, text: text, evidence: evidence)
    }
}

extension ChartEntry {
    /// The rank on the day before, by the chart's own account; nil for a film that is new or of which it is not known.
    var rankBefore: Int? {
        guard !isNew, let rank, let rankChange else { return nil }
        // The figures come from outside: an absurd one is as good as none.
        let (before, isAbsurd) = rank.addingReportingOverflow(rankChange)
        return isAbsurd || before < 1 ? nil : before
    }
}
