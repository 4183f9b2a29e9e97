import BoxOffice

extension Alert.Text {
    /// `〈파묘〉 신작 1위로 진입`
    static func entered(_ film: ChartEntry) -> Self {
        guard let rank = film.rank else {
            return Self(ko: "〈\(film.title)〉 신작 진입", en: "\(film.title) is new in the chart")
        }
        return Self(
            ko: "〈\(film.title)〉 신작 \(Particle.to.after("\(rank)위")) 진입",
            en: "\(film.title) is new at No. \(rank)")
    }

    /// `파묘 4위→1위 ▲3`
    static func moved(_ film: ChartEntry) -> Self {
        let change = film.rankChange ?? 0
        let ranks = change.magnitude
        let arrow = change < 0 ? "▼" : "▲"
        let places = ranks == 1 ? "1 place" : "\(ranks.grouped) places"
        var korean = film.title
        var english = "\(film.title) is \(change < 0 ? "down" : "up") \(places)"
        if let rank = film.rank {
            korean += film.rankBefore.map { " \($0)위→\(rank)위" } ?? " \(rank)위"
            english += " to No. \(rank)"
        }
        if let before = film.rankBefore { english += " (from No. \(before))" }
        return Self(ko: "\(korean) \(arrow)\(ranks.grouped)", en: english)
    }

    /// `〈파묘〉, 〈웡카〉를 제치고 새로운 1위 (▲3), 하루 관객 123,456명`
    static func lead(_ film: ChartEntry, over leader: ChartEntry) -> Self {
        let how: String =
            switch film.movement {
            case .unchanged: ""
            case let movement: " (\(movement))"
            }
        let particle = Particle.object.following(leader.title)
        var korean = "〈\(film.title)〉, 〈\(leader.title)〉\(particle) 제치고 새로운 1위\(how)"
        var english = "\(film.title) is the new No. 1, ahead of \(leader.title)"
        if let audience = film.audience {
            korean += ", 하루 관객 \(audience.grouped)명"
            english += ", with \(audience.grouped) \(audience == 1 ? "admission" : "admissions") on the day"
        }
        return Self(ko: korean, en: english)
    }

    /// `〈파묘〉 10위권 밖으로 (전날 7위)`; not "어제": the chart itself is about yesterday, or an earlier day.
    static func left(_ film: ChartEntry) -> Self {
        Self(
            ko: "〈\(film.title)〉 10위권 밖으로" + (film.rank.map { " (전날 \($0)위)" } ?? ""),
            en: "\(film.title) has left the top ten" + (film.rank.map { " (No. \($0) the day before)" } ?? ""))
    }
}
