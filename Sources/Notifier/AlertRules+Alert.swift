import BoxOffice
import Contract
import EventStore

extension AlertRules.Entry {
    /// The alert about a film's day, if the rule fires and the film is one of those that are watched.
    func alert(about movie: ChartAppearance, in market: Market) -> Alert? {
        // Most fire for few films: that is the quickest question.
        guard let firing = rule.firing(for: movie), markets.contains(market),
            watch.includes(movie.entry.movieCode, title: movie.entry.title)
        else { return nil }
        let rank = word == .left ? nil : movie.entry.rank
        var alert = Alert(
            rule: word, date: movie.day.chart.date, market: market == .all ? nil : market,
            movieCode: movie.entry.movieCode, title: movie.entry.title, rank: rank, previousRank: firing.previousRank,
            change: firing.change, severity: severity ?? .init(rank: rank, previousRank: firing.previousRank),
            values: firing.values, text: Alert.Text(ko: "", en: ""), evidence: [movie.day.position])
        if firing.looksBack, let before = movie.before { alert.evidence.append(before.position) }
        alert.text = texts.text(of: alert, about: movie.entry)
        return alert
    }
}

extension AlertRules {
    /// The alert about an anomaly, if its rule is in force for the market and the film, should it name one.
    func alert(about anomaly: Anomaly, at place: Alert.Evidence) -> Alert? {
        guard let entry = self[.anomaly], entry.markets.contains(anomaly.market),
            entry.watch.includes(anomaly.movieCode, title: anomaly.title)
        else { return nil }
        var alert = Alert(
            rule: .anomaly, date: anomaly.date, market: anomaly.market == .all ? nil : anomaly.market, movieCode: nil,
            title: anomaly.title, rank: nil, previousRank: nil, change: nil, severity: entry.severity ?? .notable,
            values: AnomalyRule.values(of: anomaly), text: Alert.Text(ko: "", en: ""), evidence: [place])
        alert.text = entry.texts.text(of: alert, about: nil)
        return alert
    }
}

extension Alert {
    /// The alert that takes this one back, because of a chart that corrects what it rests on.
    func takenBack(by chart: SourcedChart) -> Alert {
        var retraction = self
        retraction.retracts = id
        retraction.evidence = [chart.position]
        retraction.text = Text(ko: "정정으로 취소: \(text.ko)", en: "Taken back after a correction: \(text.en)")
        return retraction
    }
}
