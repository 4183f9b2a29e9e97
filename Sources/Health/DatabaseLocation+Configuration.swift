public import ServiceRuntime
public import Storage

extension DatabaseLocation {
    /// The database of a process: a schema at `MARQUEE_DATABASE`, or a file in `MARQUEE_DATA`, each with the name of the
    /// process.
    public init(of process: Configuration.ProcessRole, _ configuration: Configuration) {
        guard let address = configuration.database else {
            self = .file("\(configuration.dataFolder)/\(process.rawValue).db")
            return
        }
        self = .server(DatabaseServer(address: address.value, namespace: process.rawValue))
    }
}
