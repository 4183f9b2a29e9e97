/// A variable of the environment that is wrong: one line, without any secret.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The variable's name, as it was given.
    public let variable: String
    /// What is wrong, and what is expected instead.
    public let problem: String

    /// The variable and the problem on one line.
    public var description: String { "\(variable): \(problem)" }

    /// Makes the error; control characters of a strange name are escaped.
    init(_ variable: String, _ problem: String) {
        self.variable = variable.unicodeScalars.contains(where: \.isUnprintable) ? variable.quoted : variable
        self.problem = problem
    }
}
