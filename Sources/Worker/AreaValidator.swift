import BoxOffice
import Concurrency
import FoundationEssentials

/// Refuses a chart of an area that there is not, because nothing in an answer tells which area, if any, it is of.
///
/// The areas that everybody knows cost nothing. For another code the council's own list is asked for, once a day in Korea:
/// only what that does not have is certainly no area. Where the list cannot be had, the code passes.
///
/// See docs/decisions/0009-area-code-validation.md.
struct AreaValidator: Sendable {
    private struct List: Sendable {
        let date: KoreanDate
        let areas: Set<Market.Area>
    }

    private let list = Locked<List?>(nil)

    /// Whether `area` is certainly none; `ask` asks the council for its list.
    func refuses(_ area: Market.Area, at now: Date, ask: () async throws -> [Market.NamedArea]) async -> Bool {
        guard !Market.areas.contains(where: { $0.area == area }) else { return false }
        let today = KoreanDate(at: now)
        if let list = list.withLock({ $0 }), list.date == today { return !list.areas.contains(area) }
        // Whatever the reason is: the chart's own call will meet it too, and tell.
        guard let areas = try? await ask(), !areas.isEmpty else { return false }
        let new = List(date: today, areas: Set(areas.map(\.area)))
        list.withLock { $0 = new }
        return !new.areas.contains(area)
    }
}
