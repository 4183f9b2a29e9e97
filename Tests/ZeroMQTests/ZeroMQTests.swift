import Testing

@testable import ZeroMQ
