import Testing

@testable import BoxOffice

@Suite struct MarketTests {
    /// All combinations of filters.
    static let all: [Market] = {
        let nations = [nil] + Market.Nation.allCases.map(Optional.some)
        let films = [nil] + Market.Films.allCases.map(Optional.some)
        let areas = [nil, Market.Area("0105001")]
        return nations.flatMap { nation in
            films.flatMap { films in areas.map { Market(nation: nation, films: films, area: $0) } }
        }
    }()

    @Test(arguments: MarketTests.all)
    func everyMarketIsReadBackFromItsText(market: Market) throws {
        #expect(Market(market.description) == market)
        #expect(try jsonText(market) == "\"\(market)\"")
        #expect(try roundTrip(market) == market)
    }

    @Test func filtersStandInTheContractsOrder() {
        #expect(Market.all.description == "all")
        let market = Market(nation: .korean, films: .diverse, area: Market.Area("0105001"))
        #expect(market.description == "nation-K+films-diverse+area-0105001")
        #expect(Set(Self.all.map(\.description)).count == 18)
    }

    @Test(arguments: [
        "", "All", "all ", "+", "all+nation-K", "nation-", "nation", "nation-k", "nation-X", "nation-K+", "+nation-K",
        "nation-K++films-diverse", "films-diverse+nation-K", "nation-K+nation-K", "nation-K+nation-F", "films-Diverse",
        "area-010500", "area-01050011", "area-010500a", "area-０１０５００１", "nation-K+area", "nation-K.x",
        "nation-\u{212A}",
    ])
    func textThatIsNoMarketIsRefused(text: String) {
        #expect(Market(text) == nil)
    }

    @Test(arguments: ["", "010500", "01050011", "0105 01", "０１０５００１", "-105001"])
    func anAreaHasSevenDigits(text: String) {
        #expect(Market.Area(text) == nil)
    }
}
