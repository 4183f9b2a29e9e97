import FoundationEssentials
import Testing

@testable import OpenMarket

@Suite struct ProductConstraintsTests {
    private static let description = "따뜻하고 가벼운 겨울 외투"

    private func field(_ make: () throws(ProductValidationError) -> Void) -> String? {
        do throws(ProductValidationError) {
            try make()
            return nil
        } catch {
            return error.field
        }
    }

    @Test func aValidDraftIsCreated() throws {
        let draft = try ProductDraft(
            name: "외투다", description: Self.description, currency: .dollar, price: 999.99, discount: 999.99, stock: 0)
        #expect(draft.discount == draft.price)
    }

    @Test(arguments: ["", "옷", "겉옷", "  옷  ", "👨‍👩‍👧‍👦👕"])
    func aNameWithLessThanThreeCharactersIsRejected(_ name: String) {
        #expect(
            field { () throws(ProductValidationError) in
                _ = try ProductDraft(name: name, description: Self.description, price: 1)
            } == "name")
    }

    @Test(arguments: [0, 9, 1_001])
    func aDescriptionHasTenToAThousandCharacters(_ count: Int) {
        #expect(
            field { () throws(ProductValidationError) in
                _ = try ProductDraft(name: "외투다", description: String(repeating: "가", count: count), price: 1)
            } == "description")
    }

    @Test(arguments: [10, 1_000])
    func aDescriptionAtEitherLimitIsValid(_ count: Int) throws {
        _ = try ProductDraft(name: "외투다", description: String(repeating: "가", count: count), price: 1)
    }

    @Test(arguments: [0, -1, Decimal.nan])
    func aPriceMustBePositive(_ price: Decimal) {
        #expect(
            field { () throws(ProductValidationError) in
                _ = try ProductDraft(name: "외투다", description: Self.description, price: price)
            } == "price")
    }

    @Test(arguments: [-1, 10.01])
    func aDiscountIsAtMostThePrice(_ discount: Decimal) {
        #expect(
            field { () throws(ProductValidationError) in
                _ = try ProductDraft(name: "외투다", description: Self.description, price: 10, discount: discount)
            } == "discountedPrice")
    }

    @Test func aStockIsNotNegative() {
        #expect(
            field { () throws(ProductValidationError) in
                _ = try ProductDraft(name: "외투다", description: Self.description, price: 10, stock: -1)
            } == "stock")
    }

    @Test(arguments: [0: false, 1: true, 5: true, 6: false])
    func aProductHasOneToFiveImages(_ count: Int, isTaken: Bool) {
        let fault = field { () throws(ProductValidationError) in try ProductConstraints.check(imageCount: count) }
        #expect(fault == (isTaken ? nil : "images"))
    }

    @Test func aChangeHasTheSameRules() throws {
        #expect(field { () throws(ProductValidationError) in _ = try ProductChange(name: "옷") } == "name")
        #expect(
            field { () throws(ProductValidationError) in _ = try ProductChange(price: 5, discount: 6) }
                == "discountedPrice")
        #expect(field { () throws(ProductValidationError) in _ = try ProductChange(thumbnail: 0) } == "thumbnailId")
        #expect(try ProductChange().isEmpty)
    }

    @Test func aChangeIsCheckedAgainstTheUnchangedFields() throws {
        let product = Sample.product(price: 100, discount: 50)
        #expect(
            field { () throws(ProductValidationError) in try ProductChange(price: 49).check(against: product) }
                == "discountedPrice")
        #expect(
            field { () throws(ProductValidationError) in try ProductChange(discount: 101).check(against: product) }
                == "discountedPrice")
        try ProductChange(price: 50).check(against: product)
        try ProductChange(name: "새 이름").check(against: Sample.product(price: 1, discount: 2))
    }
}
