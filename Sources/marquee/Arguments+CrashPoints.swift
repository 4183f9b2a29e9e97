import Operations

extension Usage.Option {
    /// `--crash-at`: for the chaos suite, which proves that nothing is lost at any step.
    static let crashAt = Usage.Option(
        name: "--crash-at", value: "STEP[:N]", meaning: "die the N-th time this step is reached (docs/reliability.md)",
        isHidden: true)
}

extension Arguments {
    /// The step to die at, if one was given.
    func failPoints() throws(UsageError) -> FailPoints {
        let steps = FailPoint.allCases.map(\.rawValue).joined(separator: ", ")
        return try value("--crash-at", expected: "one of \(steps), perhaps with :N") { FailPoints($0) } ?? .none
    }
}
