import FoundationEssentials
import JSONCoding
import Text

extension Faults {
    /// Sets the switches in a JSON object: `{"kobis":{"latency":200,"errors":{"503":0.2}}}`.
    mutating func set(json body: [UInt8]) throws(SandboxError) {
        let setting: Setting
        do {
            setting = try JSONDecoder().decode(Setting.self, from: Data(body))
        } catch {
            throw .noObject
        }
        guard case .group(let group) = setting else {
            throw .noObject
        }
        try set(group, under: "")
    }

    private mutating func set(_ group: [String: Setting], under prefix: String) throws(SandboxError) {
        for (name, setting) in group.sorted(by: { $0.key < $1.key }) {
            switch setting {
            case .number(let number): try set(prefix + name, to: number)
            case .group(let group): try set(group, under: "\(prefix)\(name).")
            }
        }
    }

    private enum Setting: Decodable {
        case number(Double)
        case group([String: Setting])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {  // not a number: it must be a group
                self = .number(number)
            } else {
                self = .group(try container.decode([String: Setting].self))
            }
        }
    }

    /// The switches that are set, in the format that `set(json:)` reads.
    var tree: JSONTree {
        .object([
            ("seed", .number(seed)), ("clockOffset", .number(clockOffset)), ("kobis", kobis.tree),
            ("kakao", kakao.tree), ("images", images.tree), ("openmarket", openMarket.tree),
        ])
    }
}

extension SandboxError {
    fileprivate static let noObject = SandboxError.invalidSwitch(
        BilingualText("본문은 오류와 숫자의 JSON 객체여야 합니다", "the body must be a JSON object of switches and numbers"))
}

extension FaultProfile {
    fileprivate var tree: JSONTree {
        var fields: [(String, JSONTree)] = []
        func add(_ name: String, _ value: JSONTree, if isOn: Bool) {
            if isOn { fields.append((name, value)) }
        }
        add("latency", .number(latency), if: latency > 0)
        add("errors", Self.tree(errors.map { (String($0), $1) }), if: !errors.isEmpty)
        add("retryAfter", .number(retryAfter ?? 0), if: retryAfter != nil)
        add("faults", Self.tree(faults.map { ($0, $1) }), if: !faults.isEmpty)
        add("notice", .real(maintenancePage), if: maintenancePage > 0)
        add("truncated", .real(truncated), if: truncated > 0)
        add("hang", .real(hang), if: hang > 0)
        add("giant", .real(giant), if: giant > 0)
        add("giantSize", .number(giantSize), if: giant > 0)
        add("dead", .real(dead), if: dead > 0)
        add("quota", .number(quota ?? 0), if: quota != nil)
        add("times", .number(times ?? 0), if: times != nil)
        return .object(fields)
    }

    private static func tree(_ rates: [(String, Double)]) -> JSONTree {
        .object(rates.sorted { $0.0 < $1.0 }.map { ($0, .real($1)) })
    }
}
