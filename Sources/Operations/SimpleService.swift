/// A service made of two functions, for what is too small to have a type of its own.
public struct SimpleService: Service {
    private let work: @Sendable () async throws -> Void
    private let end: @Sendable () async -> Void

    /// Makes a service that runs `work` until `end` has it return.
    public init(_ work: @escaping @Sendable () async throws -> Void, stop end: @escaping @Sendable () async -> Void) {
        self.work = work
        self.end = end
    }

    /// Works until it is stopped.
    public func run() async throws {
        try await work()
    }

    /// Asks for the end.
    public func stop() async {
        await end()
    }
}
