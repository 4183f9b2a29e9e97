extension Logger {
    /// The names of metadata, all in one place so that one thing has one name in every line.
    public enum Key: String, CaseIterable, Sendable {
        // What the event is about.
        case request
        case topic
        case stream
        case sequence
        case epoch
        case event
        case rule
        case alert
        case text
        case sink
        case letter
        case movie
        case title
        case date
        case market
        case revision
        case command

        // Who or where.
        case service
        case address
        case requests
        case commands
        case events
        case alerts
        case alertCommands
        case http
        case url
        case path
        case variable
        case version
        case process
        case signal
        case key

        // How it went.
        case code
        case kind
        case error
        case status
        case field
        case reason
        case attempt

        // How much, and how long.
        case count
        case dropped
        case bytes
        case limit
        case duration
        case after
    }
}
