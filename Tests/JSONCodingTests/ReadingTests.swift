import Testing

@testable import JSONCoding

@Suite struct ReadingTests {
    private func value(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    @Test("Members are found by name, whatever is between them")
    func members() throws {
        let json = try value(#"{"skipped":[{"rank":9},{"a":[]}],"rank":1,"title":"파묘","none":null,"rank":2}"#)
        #expect(try json.value("rank").integer() == 1)
        #expect(try json["title"]?.text() == "파묘")
        #expect(try json["none"] == nil && json["a"] == nil)
        #expect(try json.value("none").isNull)
        #expect(try json.value("skipped").elements()[0].value("rank").integer() == 9)
        #expect(throws: DecodingError.self) { try value("7")["rank"] }
        #expect(throws: DecodingError.self) { try value("[]")["rank"] }
    }

    @Test("The bytes of a value are those of the text", arguments: ["[1, {}]", #""파\"묘""#, "-1.0", "null"])
    func bytes(text: String) throws {
        let json = try value("{\"a\" : \(text) , \"b\":2}")
        #expect(try String(decoding: json.value("a").bytes, as: UTF8.self) == text)
    }

    @Test("Names and texts may be escaped")
    func escapes() throws {
        let json = try value(#"{"\uD30C\ubb18":"\"\\\/\ud83c\udfac\u0000","a\"":1}"#)
        #expect(try json.value("파묘").text() == "\"\\/🎬\0")
        #expect(try json.value("a\"").integer() == 1)
    }

    @Test("Names are compared by their bytes")
    func composition() throws {
        let json = try value("{\"\u{1112}\u{1161}\u{11AB}\":1}")
        #expect(try json["\u{1112}\u{1161}\u{11AB}"] != nil)
        #expect(try json["한"] == nil)
    }

    @Test(
        "Whole numbers are read in every form",
        arguments: [
            ("0", 0), ("-7", -7), ("13090833414", 13_090_833_414), ("12.0", 12), ("1e3", 1000), ("-0", 0),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ])
    func integers(text: String, number: Int) throws {
        #expect(try value(text).integer() == number)
    }

    private enum Want: CaseIterable { case integer, text, flag, elements, member }

    private func read(_ json: JSONValue, _ want: Want) throws(DecodingError) {
        switch want {
        case .integer: _ = try json.integer()
        case .text: _ = try json.text()
        case .flag: _ = try json.flag()
        case .elements: _ = try json.elements()
        case .member: _ = try json.value("b")
        }
    }

    @Test("A value of another kind is refused with its coding path")
    func mismatches() throws {
        let examples: [Want: String] = [
            .integer: "1", .text: #""1""#, .flag: "true", .elements: "[]", .member: #"{"b":1}"#,
        ]
        for want in Want.allCases {
            for (kind, text) in examples where kind != want {
                let json = try value(#"{"x":[0,{"y\n":\#(text)}]}"#).value("x").elements()[1].value("y\n")
                let error = #expect(throws: DecodingError.self) { try read(json, want) }
                #expect(error?.summary.kind == "mismatch", "\(want) of \(text)")
                #expect(error?.summary.path == ["x", "[1]", "y\n"])
                #expect(error?.summary.reason.hasPrefix("expected ") == true)
            }
            let null = try value("[null]").elements()[0]
            let error = #expect(throws: DecodingError.self) { try read(null, want) }
            #expect(error?.summary.kind == "null", "\(want)")
        }
    }

    @Test("The error of a missing member has the coding path of its object")
    func missing() throws {
        let object = try value(#"[{"a":1}]"#).elements()[0]
        let error = #expect(throws: DecodingError.self) { try object.value("b") }
        #expect(error?.summary.kind == "missing")
        #expect(error?.summary.reason == #"missing member "b""#)
        #expect(error?.summary.path == ["[0]", "b"])
    }

    @Test(
        "The error of an unreadable value has its coding path",
        arguments: ["1.5", "99999999999999999999", "1e400", #""\ud800""#, #""\q""#, #""\u12G4""#])
    func unreadable(text: String) throws {
        let json = try value("[0,\(text)]").elements()[1]
        let error = #expect(throws: DecodingError.self) {
            if json.isText { _ = try json.text() } else { _ = try json.integer() }
        }
        #expect(error?.summary.kind == "unreadable")
        #expect(error?.summary.path == ["[1]"])
    }

    @Test("A part is read with Foundation's decoder, with full coding paths in errors")
    func decoding() throws {
        let json = try value(#"{"list":[{"names":["가","나"]},{"names":["다",4]}]}"#)
        let list = try json.value("list").elements()
        #expect(try list[0].decode([String: [String]].self) == ["names": ["가", "나"]])
        #expect(try list[0].value("names").elements()[1].decode(String.self) == "나")
        let error = #expect(throws: DecodingError.self) { try list[1].decode([String: [String]].self) }
        #expect(error?.summary.kind == "mismatch")
        #expect(error?.summary.path == ["list", "[1]", "names", "[1]"])
    }

    private struct Even: StringRepresentable, Equatable {
        static let noun = "even number"
        let description: String

        init?(_ text: some StringProtocol) {
            guard let number = Int(text), number.isMultiple(of: 2) else { return nil }
            description = String(number)
        }
    }

    @Test("Both decoders read a string as the value it represents")
    func texts() throws {
        let json = try value(#"["4","5"]"#).elements()
        #expect(try json[0].text(as: Even.self) == Even("4"))
        #expect(try json[0].decode(Even.self) == Even("4"))
        for read in [{ try json[1].text(as: Even.self) }, { try json[1].decode() }] {
            let error = #expect(throws: DecodingError.self) { try read() }
            #expect(error?.summary.reason == #""5" is not a valid even number"#)
            #expect(error?.summary.path == ["[1]"])
        }
    }
}
