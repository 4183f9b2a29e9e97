import Foundation

/// The `marquee` that was built with the tests.
public enum BuiltProgram {
    /// Its path: it is in the folder of the test bundle.
    public static let path: String = {
        let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
        return URL(filePath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent().path + "/marquee"
    }()
}
