import BoxOffice

/// The answer to `searchCodeList`.
struct KobisCodes: Decodable {
    struct Code: Decodable {
        let fullCd: BlankableText?
        let korNm: BlankableText?
        let engNm: BlankableText?
    }

    let codes: [Code]

    /// The codes that are areas'; others are passed over.
    var areas: [Market.NamedArea] {
        codes.compactMap { code in
            code.fullCd?.value.flatMap { Market.Area($0) }.map { area in
                Market.NamedArea(area: area, name: code.korNm?.value ?? "\(area)", nameEnglish: code.engNm?.value)
            }
        }
    }
}
