import Testing

@testable import BoxOffice
