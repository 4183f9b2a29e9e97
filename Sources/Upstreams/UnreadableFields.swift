import JSONCoding
import Networking

/// What was read of a reply, and the optional fields of it that could not be read.
public struct Reading<Value: Sendable>: Sendable {
    /// The value; fields that could not be read are empty in it.
    public let value: Value
    /// The fields that could not be read, each once.
    public let unreadable: [UnreadableField]
}

extension Reading: Equatable where Value: Equatable {}

extension HTTPResponse {
    /// Reads a reply in JSON, of any status: `error` returns the error that it holds, `value` what was asked for.
    ///
    /// - Parameter wrappers: How many keys, one at most, stand around the whole reply, and in no path.
    func reading<Value>(
        of service: String, wrappers: Int = 0, error: (JSONValue) throws(DecodingError) -> UpstreamError?,
        value: (JSONValue, UnreadableFields) throws(DecodingError) -> Result<Value, UpstreamError>
    ) throws(UpstreamError) -> Reading<Value> {
        let failure = failure(of: service, hasFixedPaths: true)
        let unreadable = UnreadableFields(wrappers: wrappers)
        let result: Result<Value, UpstreamError>
        do {
            result = try decode(of: service) { json throws(DecodingError) in
                if let error = try error(json) ?? failure { return .failure(error) }
                return try value(json, unreadable)
            }
        } catch {
            // A notice is maintenance whatever its status; an error status does not need a readable body.
            guard error.kind == .invalid else { throw error }
            var invalid = error
            if wrappers > 0, let dot = error.field?.firstIndex(of: ".") {
                invalid.field?.removeSubrange(...dot)
            }
            throw failure ?? invalid
        }
        return Reading(value: try result.get(), unreadable: unreadable.fields)
    }
}

/// An optional field that could not be read somewhere in a reply. A required one is an error of the whole reply.
public struct UnreadableField: Hashable, Sendable {
    /// The field's path without positions: `dailyBoxOfficeList.showCnt`.
    public let name: String
    /// The path of the first value that could not be read: `dailyBoxOfficeList[3].showCnt`.
    public let path: String
    /// How many of its values could not be read.
    public fileprivate(set) var count = 1
}

/// Reads the optional fields of one reply, and collects those that cannot be read.
///
/// They are counted by their names, so that a reply of thousands of broken values has a short list.
final class UnreadableFields {
    private(set) var fields: [UnreadableField] = []
    private let wrappers: Int

    /// Starts a list; `wrappers` is how many keys stand around the whole reply, and in no path.
    init(wrappers: Int = 0) {
        self.wrappers = wrappers
    }

    /// Returns an optional value; nil if it cannot be read.
    func optional<Value>(_ read: @autoclosure () throws(DecodingError) -> Value?) -> Value? {
        do throws(DecodingError) {
            return try read()
        } catch {
            add(error.codingPath)
            return nil
        }
    }

    /// Returns the value of an optional key; nil if it cannot be read.
    func optional<Value: Decodable, Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) -> Value? {
        do {
            return try container.decodeIfPresent(Value.self, forKey: key)
        } catch {
            add(container.codingPath + [key])
            return nil
        }
    }

    func values<Value>(of list: ReadableElements<Value>) -> [Value] {
        list.unreadable.forEach(add)
        return list.values
    }

    func add(_ part: [UnreadableField]) {
        for field in part {
            if let index = fields.firstIndex(where: { $0.name == field.name }) {
                fields[index].count += field.count
            } else {
                fields.append(field)
            }
        }
    }

    private func add(_ path: [any CodingKey]) {
        let path = path.dropFirst(wrappers)
        add([UnreadableField(name: path.filter { $0.intValue == nil }.fieldPath, path: path.fieldPath)])
    }
}

/// The elements of a list that can be read, and the paths of what cannot be read in the others.
struct ReadableElements<Value: Decodable>: Decodable {
    fileprivate var values: [Value] = []
    fileprivate var unreadable: [[any CodingKey]] = []

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            // Goes on to the next element even if this one cannot be read.
            let element = try container.superDecoder()
            do {
                values.append(try Value(from: element))
            } catch {
                unreadable.append((error as? DecodingError)?.codingPath ?? element.codingPath)
            }
        }
    }
}
