import BoxOffice
import JSONCoding

/// The answer to `searchCodeList`.
struct KobisCodes: JSONReadable {
    /// The codes that are areas'; others are passed over.
    let areas: [Market.NamedArea]

    init(json: JSONValue) throws(DecodingError) {
        var areas: [Market.NamedArea] = []
        for code in try json.value("codes").elements() {
            let (full, name, english) = (try code.words("fullCd"), try code.words("korNm"), try code.words("engNm"))
            guard let area = full.flatMap({ Market.Area($0) }) else { continue }
            areas.append(Market.NamedArea(area: area, name: name ?? "\(area)", nameEnglish: english))
        }
        self.areas = areas
    }
}
