/// The alert rules of the contract, implemented a second time from that page alone.
enum ExpectedAlerts {
    /// Returns the topics of the alerts that a day's chart fires, in order; `before` is the chart of the day before.
    static func topics(of chart: JSON, before: JSON?, threshold: Double = 3) -> [String] {
        let entries = chart["entries"].list
        let earlier = before?["entries"].list ?? []
        var alerts: [(rule: String, movie: JSON)] = []
        for movie in entries {
            let isNew = movie["isNew"] == true
            let change = movie["rankChange"].number ?? 0
            if isNew { alerts.append(("entered", movie)) }
            if !isNew, change >= threshold { alerts.append(("rose", movie)) }
            if !isNew, change <= -threshold { alerts.append(("fell", movie)) }
            if movie["line"] == 1, let leader = earlier.first, leader["movieCode"] != movie["movieCode"] {
                alerts.append(("lead", movie))
            }
        }
        let here = Set(entries.map { $0["movieCode"] })
        alerts += earlier.filter { !here.contains($0["movieCode"]) }.map { ("left", $0) }
        return alerts.map { "alert.\($0.rule).\($0.movie["movieCode"].text ?? "").\(chart["date"].text ?? "")" }
    }
}
