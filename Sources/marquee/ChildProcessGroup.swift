import Operations

/// The processes that `marquee up` starts, and ends with itself.
final class ChildProcessGroup: Sendable {
    /// Where the figures come from, for people.
    let description: String
    let members: [ChildProcess]

    /// Starts worker, notifier and board, with the sandbox as their upstream if there is no KOBIS key.
    init(_ configuration: Configuration) throws {
        let usesSandbox = configuration.kobis.key == nil
        // Made-up figures have a folder of their own: they must never get among real ones.
        let folder = try DataFolder(configuration.dataFolder + (usesSandbox ? "/sandbox" : ""))
        var settings = ["MARQUEE_DATA": folder.path]
        if configuration.schedule == nil { settings["MARQUEE_SCHEDULE"] = "on" }
        var roles = ["worker", "notifier", "board"]
        if usesSandbox {
            roles.insert("sandbox", at: 0)
            description = "made-up figures of the sandbox: no MARQUEE_KOBIS_KEY is set · \(folder.path)"
        } else {
            description = "figures of \(configuration.kobis.url) · \(folder.path)"
        }
        members = try roles.map { role in
            let asksSandbox = role == "worker" || role == "board" && usesSandbox
            let arguments = [role, ParentMonitor.option.name] + (asksSandbox ? ["--sandbox"] : [])
            return try ChildProcess(role, arguments: arguments, settings: settings, logPath: folder.file("\(role).log"))
        }
    }

    /// Sends all of them a signal.
    func signal(_ number: Int32) {
        for child in members { child.signal(number) }
    }
}
