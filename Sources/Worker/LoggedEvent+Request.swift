import Events

extension LoggedEvent {
    /// The request whose end the event tells; nil if it tells none.
    var endedRequest: RequestID? {
        switch topic {
        case .request(.done, let id), .request(.failed, let id): id
        default: nil
        }
    }
}
