import Testing

@testable import Upstreams
