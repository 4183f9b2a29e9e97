import EventStore
import Notifier
import Operations
import Worker

extension Configuration {
    /// The worker's log, or the notifier's.
    func logFile(ofAlerts: Bool) -> LogDatabase {
        ofAlerts ? NotifierProcess.logFile(inFolder: dataFolder) : WorkerProcess.logFile(inFolder: dataFolder)
    }
}

extension Usage.Option {
    /// Chooses the notifier's log, where the worker's is the usual one.
    static let alerts = Usage.Option(name: "--alerts", meaning: "the notifier's database instead of the worker's")
}
