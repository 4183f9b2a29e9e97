import BoxOffice
import Events
import FoundationEssentials

/// What the notifier has to know to go on where it was: how far it has read, and what it learnt from that.
struct Memory: Sendable {
    /// The charts that decisions rest on.
    var decider: AlertDecider
    /// How far the worker's log has been read; nil before anything was.
    var position: LogPosition?
    /// From which day on alerts were asked for, by a notifier that was started so.
    let since: KoreanDate?
    /// When the first notifier with this memory was started.
    let began: Date
    /// Whether all has been read once that had been published by then.
    var hasCaughtUp = false
    /// Whether charts were learnt that are not on disk yet.
    var hasUnwrittenCharts = false

    /// Where to begin reading.
    var start: Subscription.Start { position.map { .after($0) } ?? .beginning }

    /// Whether an event is history, which is learnt from and fires nothing unless that was asked for.
    ///
    /// What backfill led to always is. Else its own time decides, not the moment at which it is read: however late the worker is reached, and wherever the
    /// notifier is killed meanwhile, the same events fire. Once it has caught up, there is no history to come, and a
    /// worker's clock that is set back makes none.
    func isHistory(_ event: Event) -> Bool {
        since == nil && (event.priority == .backfill || !hasCaughtUp && event.time < began)
    }
}
