import BoxOffice
import Foundation

@testable import Notifier

/// A moment in Korea, such as `2026-11-21 23:30`.
func korea(_ text: String) -> Date {
    let words = text.split(separator: " ")
    guard words.count == 2, let day = KoreanDate(words[0]), let time = TimeOfDay(words[1]) else {
        fatalError("\(text) is no moment")
    }
    return time.on(day)
}
