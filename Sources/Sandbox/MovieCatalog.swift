import FoundationEssentials

/// Where answers come from: a made-up world or a folder of recorded responses. Keys, parameters and faults are checked
/// before it is asked, and what it does not have it answers as the real services answer for unknown things.
protocol MovieCatalog: Sendable {
    /// A daily or weekly chart: the whole body.
    func chart(_ question: ChartQuery, at instant: Date) -> [UInt8]
    /// A film's facts: the whole body.
    func movie(code: String, at instant: Date) -> [UInt8]
    /// A page of an image search: the whole body. `base` is where the client reaches the sandbox.
    func images(_ question: ImageQuery, base: String, at instant: Date) -> [UInt8]
}
