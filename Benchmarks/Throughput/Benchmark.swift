import FoundationEssentials
import Glibc

/// `Throughput publish ADDRESS COUNT BYTES SUBSCRIBERS`, `Throughput read ADDRESS COUNT`, `Throughput durable FOLDER`,
/// `Throughput charts FILE DAY FOLDER` or `Throughput fill FOLDER DAYS`.
func runBenchmark() async {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
        switch (words.first, words.count) {
        case ("publish", 5):
            try await Peer().publish(
                words[1], count: number(words[2]), size: number(words[3]), subscribers: number(words[4]),
                folder: FileManager.default.temporaryDirectory.path)
        case ("read", 3):
            try await Peer().read(words[1], count: number(words[2]))
        case ("durable", 2):
            try await DurablePublishing(folder: words[1]).run()
        case ("charts", 4):
            try await ChartReading(recording: words[1], of: words[2]).run(folder: words[3])
        case ("fill", 3):
            try await FilledLog(folder: words[1]).make(days: number(words[2]))
        default:
            print(
                "Throughput publish ADDRESS COUNT BYTES SUBSCRIBERS | read ADDRESS COUNT | durable FOLDER | charts FILE DAY FOLDER"
            )
            exit(2)
        }
    } catch {
        print("Throughput: \(error)")
        exit(1)
    }
}

private func number(_ text: String) -> Int {
    guard let number = Int(text) else { fatalError("\(text) is no number") }
    return number
}
