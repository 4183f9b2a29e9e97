import Testing

@testable import Locking
