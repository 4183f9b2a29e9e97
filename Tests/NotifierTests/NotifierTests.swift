import Testing

@testable import Notifier
