import BoxOffice
import Concurrency
import FoundationEssentials

/// Rejects charts of areas that do not exist, because KOBIS's answer does not say which area it is about.
///
/// The built-in areas cost no call. For another code the list of KOBIS is fetched, once per day in Korea; a code that is
/// missing there does not exist. If the list cannot be fetched, the code passes.
struct AreaValidator: Sendable {
    private struct List: Sendable {
        let date: KoreanDate
        let areas: Set<Market.Area>
    }

    private let list = Locked<List?>(nil)

    /// Returns whether `area` certainly does not exist; `fetch` fetches the list of KOBIS.
    func rejects(_ area: Market.Area, at now: Date, fetch: () async throws -> [Market.NamedArea]) async -> Bool {
        guard !Market.areas.contains(where: { $0.area == area }) else { return false }
        let today = KoreanDate(at: now)
        if let list = list.withLock({ $0 }), list.date == today { return !list.areas.contains(area) }
        // Whatever the error is, the chart's own call meets it too and reports it.
        guard let areas = try? await fetch(), !areas.isEmpty else { return false }
        let new = List(date: today, areas: Set(areas.map(\.area)))
        list.withLock { $0 = new }
        return !new.areas.contains(area)
    }
}
