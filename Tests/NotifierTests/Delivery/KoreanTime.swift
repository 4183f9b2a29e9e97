import BoxOffice
import Foundation

@testable import Notifier

/// Returns an instant in Korean time, such as `2026-11-21 23:30`.
func koreanTime(_ text: String) -> Date {
    let words = text.split(separator: " ")
    guard words.count == 2, let day = KoreanDate(words[0]), let time = TimeOfDay(words[1]) else {
        fatalError("\(text) is not a date and a time")
    }
    return time.on(day)
}
