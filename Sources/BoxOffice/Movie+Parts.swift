extension Movie {
    /// A director.
    public struct Director: Hashable, Sendable, Codable {
        /// The name in Korean.
        public var name: String
        /// The name in Latin letters.
        @Nullable public var nameEnglish: String?

        /// Makes the value.
        public init(name: String, nameEnglish: String? = nil) {
            self.name = name
            self.nameEnglish = nameEnglish
        }
    }

    /// An actor and the part played.
    public struct Actor: Hashable, Sendable, Codable {
        /// The name in Korean.
        public var name: String
        /// The name in Latin letters.
        @Nullable public var nameEnglish: String?
        /// The part played.
        @Nullable public var role: String?
        /// The part played, in English.
        @Nullable public var roleEnglish: String?

        /// Makes the value.
        public init(name: String, nameEnglish: String? = nil, role: String? = nil, roleEnglish: String? = nil) {
            self.name = name
            self.nameEnglish = nameEnglish
            self.role = role
            self.roleEnglish = roleEnglish
        }
    }

    /// A form in which the film is shown.
    public struct ShowType: Hashable, Sendable, Codable {
        /// The group of forms (`2D`, `IMAX`).
        public var group: String
        /// The form (`디지털`).
        @Nullable public var name: String?

        /// Makes the value.
        public init(group: String, name: String? = nil) {
            self.group = group
            self.name = name
        }
    }

    /// A company that had a part in the film.
    public struct Company: Hashable, Sendable, Codable {
        /// The council's code of the company.
        @Nullable public var code: String?
        /// The name in Korean.
        public var name: String
        /// The name in English.
        @Nullable public var nameEnglish: String?
        /// What it did (`배급사`).
        @Nullable public var part: String?

        /// Makes the value.
        public init(code: String? = nil, name: String, nameEnglish: String? = nil, part: String? = nil) {
            self.code = code
            self.name = name
            self.nameEnglish = nameEnglish
            self.part = part
        }
    }

    /// A decision on who may watch the film.
    public struct Rating: Hashable, Sendable, Codable {
        /// The decision's number.
        @Nullable public var number: String?
        /// The grade (`15세이상관람가`).
        public var grade: String

        /// Makes the value.
        public init(number: String? = nil, grade: String) {
            self.number = number
            self.grade = grade
        }
    }

    /// Somebody else who worked on the film.
    public struct Staff: Hashable, Sendable, Codable {
        /// The name in Korean.
        public var name: String
        /// The name in Latin letters.
        @Nullable public var nameEnglish: String?
        /// What they did.
        @Nullable public var role: String?

        /// Makes the value.
        public init(name: String, nameEnglish: String? = nil, role: String? = nil) {
            self.name = name
            self.nameEnglish = nameEnglish
            self.role = role
        }
    }
}
