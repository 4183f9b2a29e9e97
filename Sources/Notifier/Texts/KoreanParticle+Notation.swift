extension KoreanParticle {
    /// The particle that a template names by its two forms, in either order: `이/가` or `가/이`.
    init?(notation: String) {
        switch notation {
        case "이/가", "가/이": self = .subject
        case "을/를", "를/을": self = .object
        case "은/는", "는/은": self = .topic
        case "과/와", "와/과": self = .with
        case "으로/로", "로/으로": self = .to
        default: return nil
        }
    }

    /// How templates write the particles that there are.
    static let notations = ["이/가", "을/를", "은/는", "과/와", "으로/로"]
}
