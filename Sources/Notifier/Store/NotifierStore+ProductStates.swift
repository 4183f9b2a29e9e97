import Contract
import FoundationEssentials
import OpenMarket
import Storage
import Text

extension NotifierStore {
    /// Loads the products of the last write; returns nil if there was no rule about products then.
    func loadProductStates(in connection: Connection) throws -> ProductStates? {
        let row = try connection.query("select began, opened from product_reading", as: Int.self, Int?.self).first
        guard let (began, opened) = row else { return nil }
        let rows = try connection.query(
            "select id, seen, name, currency, price, discount, bargain_price, stock from product", as: Int.self,
            Int.self, String?.self, String?.self, String?.self, String?.self, String?.self, Int?.self)
        var items: [ProductID: ProductStates.Item] = [:]
        for (id, seen, name, currency, price, discount, bargainPrice, stock) in rows {
            guard let id = ProductID(id) else { continue }
            var state: ProductState?
            if let name, let currency = currency.flatMap(Currency.init), let price = price.flatMap(amount),
                let discount = discount.flatMap(amount), let bargainPrice = bargainPrice.flatMap(amount), let stock
            {
                state = ProductState(
                    name: name, currency: currency, price: price, discount: discount, bargainPrice: bargainPrice,
                    stock: stock)
            }
            items[id] = ProductStates.Item(state: state, seen: Date(millisecondsSince1970: seen))
        }
        return ProductStates(
            began: Date(millisecondsSince1970: began), opened: opened.map(Date.init(millisecondsSince1970:)),
            items: items)
    }

    private func amount(_ text: String) -> Decimal? { Decimal(string: text) }

    func save(_ changes: ProductStates.Changes, in connection: Connection) throws {
        if changes.isReset { try connection.execute("delete from product") }
        try connection.execute(
            """
            insert into product_reading (id, began, opened) values (1, ?, ?)
            on conflict (id) do update set began = excluded.began, opened = excluded.opened
            """,
            changes.began.millisecondsSince1970,
            changes.opened?.millisecondsSince1970)
        for (id, item) in changes.items {
            let state = item.state
            try connection.execute(
                """
                insert into product (id, seen, name, currency, price, discount, bargain_price, stock)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                on conflict (id) do update set seen = excluded.seen, name = excluded.name,
                    currency = excluded.currency, price = excluded.price, discount = excluded.discount,
                    bargain_price = excluded.bargain_price, stock = excluded.stock
                """, id.number, item.seen.millisecondsSince1970, state?.name, state?.currency.rawValue,
                state.map { "\($0.price)" }, state.map { "\($0.discount)" }, state.map { "\($0.bargainPrice)" },
                state?.stock)
        }
    }

    /// Deletes the products: no rule is about them.
    func deleteProductStates(in connection: Connection) throws {
        try connection.execute("delete from product_reading")
        try connection.execute("delete from product")
    }
}
