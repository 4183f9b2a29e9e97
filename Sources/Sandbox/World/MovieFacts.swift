/// What is known about a film besides its figures.
struct MovieFacts: Sendable {
    /// Somebody in front of the camera.
    struct Role: Sendable {
        let person: Person
        let cast: String
        let castEnglish: String
    }

    /// Somebody behind it.
    struct Staff: Sendable {
        let person: Person
        let role: String
    }

    var titleOriginal = ""
    var minutes = ""
    var year = ""
    var type = "장편"
    var nations: [String] = []
    var genres: [String] = []
    var directors: [Person] = []
    var actors: [Role] = []
    var showTypes: [(group: String, name: String)] = []
    var companies: [(code: String, name: String, nameEnglish: String, part: String)] = []
    var audits: [(number: String, grade: String)] = []
    var staff: [Staff] = []
}
