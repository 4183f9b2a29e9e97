import Contract
import Text

extension AlertRule {
    /// Returns the rule in words, as the title of a message.
    func name(in language: Language) -> String {
        let names: (ko: String, en: String) =
            switch self {
            case .entered: ("신규 진입", "New in the chart")
            case .left: ("10위권 이탈", "Out of the top ten")
            case .rose: ("순위 상승", "Up in the chart")
            case .fell: ("순위 하락", "Down in the chart")
            case .lead: ("1위 교체", "New No. 1")
            case .reentered: ("재진입", "Back in the chart")
            case .opening: ("개봉", "Opening day")
            case .streak: ("연속 1위", "Days at No. 1")
            case .milestone: ("누적 관객 돌파", "Milestone")
            case .best: ("일일 최다 관객", "Best day")
            case .screens: ("스크린수 변동", "Change of screens")
            case .correction: ("관객수 정정", "Correction")
            case .anomaly: ("데이터 이상", "Problem in the data")
            case .priceFell: ("가격 인하", "Price down")
            case .priceRose: ("가격 인상", "Price up")
            case .newDiscount: ("할인 시작", "On sale")
            case .soldOut: ("품절", "Sold out")
            case .backInStock: ("재입고", "Back in stock")
            case .newProduct: ("신상품", "New product")
            case .productRemoved: ("판매 종료", "No longer in the shop")
            }
        return language == .ko ? names.ko : names.en
    }
}
