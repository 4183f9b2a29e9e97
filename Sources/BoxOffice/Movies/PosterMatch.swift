extension Poster {
    /// Why an image was chosen, or why none was: what the facts of the movie were compared with.
    public struct Match: Hashable, Sendable, Codable {
        /// What the choice rests on.
        public enum Result: String, Sendable, Codable {
            /// The image's page names the title and the director, two actors or the year.
            case confirmed
            /// The image's page names the title, and no other movie of that title is known.
            case titleOnly
            /// No image was chosen.
            case none
        }

        /// The result.
        public var result: Result
        /// The number of searches.
        public var searches: Int
        /// The title of the page that shows the image; nil without an image.
        @Nullable public var pageTitle: String?
        /// What that page was compared with; empty without an image.
        public var compared: [Comparison]
        /// How many hits were rejected, by reason.
        public var rejected: [Rejection]

        /// Makes the reason of a choice.
        public init(
            result: Result, searches: Int, pageTitle: String?, compared: [Comparison], rejected: [Rejection]
        ) {
            self.result = result
            self.searches = searches
            self.pageTitle = pageTitle
            self.compared = compared
            self.rejected = rejected
        }
    }
}

extension Poster.Match {
    /// A fact about the movie, and what the page says of it.
    public struct Comparison: Hashable, Sendable, Codable {
        /// The facts that are compared.
        public enum Property: String, Sendable, Codable {
            case title
            case titleEnglish
            case year
            case director
            case actor
        }

        /// The result of a comparison.
        public enum Result: String, Sendable, Codable {
            case same
            case different
            /// The page says nothing of it.
            case absent
        }

        /// The fact.
        public var property: Property
        /// Its values; any of them is right.
        public var expected: [String]
        /// The values on the page.
        public var found: [String]
        /// The result.
        public var result: Result

        /// Makes the comparison.
        public init(_ property: Property, expected: [String], found: [String], result: Result) {
            self.property = property
            self.expected = expected
            self.found = found
            self.result = result
        }
    }

    /// How many hits were rejected for a reason.
    public struct Rejection: Hashable, Sendable, Codable {
        /// The reasons for which a hit is rejected.
        public enum Reason: String, Sendable, Codable, CaseIterable {
            /// The image is wider than a poster, or higher.
            case shape
            /// The page was published years before the movie.
            case tooOld
            /// The page cannot be read.
            case unreadable
            /// The page's title does not name the movie, or names a sequel.
            case otherTitle
            /// The page is about a movie of another year.
            case otherYear
            /// The page is about a movie of another director.
            case otherDirector
            /// The page names no more than the title, and that is not enough.
            case unconfirmed
            /// The image cannot be fetched, or is none.
            case noImage
        }

        /// The reason.
        public var reason: Reason
        /// The number of hits.
        public var count: Int

        /// Makes the count.
        public init(_ reason: Reason, count: Int) {
            self.reason = reason
            self.count = count
        }
    }
}
