"""The named faults: each is a small, exact change of a source file, and the tests that must fail with it.

`old` stands exactly once in the file; `make lint` checks that. `tests` is a part of the tests' names, `Module.Suite` or a
module alone: the cheapest that must notice.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault, what it breaks, and which tests must fail."""

    name: str
    what: str
    file: str
    old: str
    new: str
    tests: str


FAULTS = [
    # MARK: Databases
    Fault(
        "sync-off", "a commit is not on disk when it is acknowledged", "Storage/SQLite/SQLiteConnection.swift",
        'pragma synchronous = full', 'pragma synchronous = off', "StorageTests"),
    Fault(
        "deleted-rows-stay", "what a deleted row held stays in the file", "Storage/SQLite/SQLiteConnection.swift",
        'pragma secure_delete = on', 'pragma secure_delete = off', "StorageTests"),
    Fault(
        "publish-before-commit", "what follows a commit is done before it", "Storage/Connection.swift",
        '            try end()\n',
        '            for action in transaction.actions { action() }\n            transaction.actions = []\n'
        '            try end()\n', "StorageTests"),
    Fault(
        "undone-write-publishes", "what an undone write wanted done after the commit is done",
        "Storage/Connection.swift",
        'transaction.actions.removeLast(transaction.actions.count - actionCount)',
        '_ = transaction.actions.count - actionCount', "StorageTests"),
    Fault(
        "lost-commits-unnoticed", "a database without its last commits is opened", "Storage/SQLite/SQLiteConnection.swift",
        'guard count >= acknowledged else {', 'guard count >= 0 else {', "StorageTests"),

    Fault(
        "lost-answer-is-no-commit", "a commit whose answer was lost counts as undone",
        "Storage/PostgreSQL/PostgreSQLConnection.swift", 'return last == number', 'return last < number', "StorageTests"),

    Fault(
        "turns-not-taken", "two processes write to one database at once", "Storage/PostgreSQL/PostgreSQLConnection.swift",
        '\\(PostgreSQLSession.turn);', 'select 1;', "StorageTests.PostgreSQL"),
    Fault(
        "frozen-keeps-its-place", "a process that has frozen keeps all others from the database",
        "Storage/PostgreSQL/PostgreSQLConnection.swift",
        "written_at > now() - interval '15 seconds'", "written_at is not null", "StorageTests.PostgreSQL"),

    # MARK: Several workers
    Fault(
        "claim-ignored", "a worker ends a request that another has taken over", "Worker/Requests/RequestInbox.swift",
        '"update inbox set state = ? where id = ? and state = 0 and claimed_by = ?"',
        '"update inbox set state = ? where id = ? and state = 0 and claimed_by <> ? - 1"', "WorkerTests.Sharing"),
    Fault(
        "living-worker-robbed", "the requests of a living worker are taken over", "Worker/Requests/RequestInbox.swift",
        'claimed_by <> ? and claimed_by not in (select id from worker)', 'claimed_by <> ?', "WorkerTests.Sharing"),
    Fault(
        "orders-overlap", "each worker carries out the orders that it accepts", "Worker/Requests/RequestInbox+Intake.swift",
        '!(item.isOrder && leavesOrders)', '!(item.isOrder && false)', "WorkerTests.Sharing"),
    Fault(
        "answers-not-repeated", "an answer from the log is not published again", "Worker/Sharing/LogFollower.swift",
        'for answer in answers where !end.contains(answer) {', 'for answer in answers.prefix(0) where !end.contains(answer) {',
        "WorkerTests.Sharing"),

    # MARK: Event log
    Fault(
        "previous-of-stream", "`previous` is the event before in the stream, not in the topic", "EventStore/EventLog.swift",
        'try newest(topic, connection) ?? .zero', 'try newest(of: stream, connection) ?? .zero',
        "EventStoreTests"),
    Fault(
        "sequence-with-holes", "a stream counts by twos", "EventStore/EventLog.swift",
        'let sequence = last[stream, default: .zero].advanced(by: 1)',
        'let sequence = last[stream, default: .zero].advanced(by: 2)', "EventStoreTests"),
    Fault(
        "id-reused", "an event that is in the log already counts as new", "EventStore/EventLog.swift",
        'events.append((known, false))', 'events.append((known, true))', "EventStoreTests"),
    Fault(
        "checksum-ignored", "a damaged event is read", "EventStore/EventLog+Verification.swift",
        'guard checksum == event.checksum else', 'guard checksum == event.checksum || !event.body.isEmpty else',
        "EventStoreTests"),
    Fault(
        "page-ends-early", "a page of rare events says that nothing follows", "EventStore/EventLog+Reading.swift",
        'return (position, position < newest)', 'return (position, isFull && position < newest)', "EventStoreTests"),
    Fault(
        "page-repeats", "a page begins with the event that the reader has", "EventStore/EventLog+Reading.swift",
        'where stream = ? and sequence > ? and sequence <= ? and topic >= ? and topic < ?',
        'where stream = ? and sequence >= ? and sequence <= ? and topic >= ? and topic < ?', "EventStoreTests"),
    Fault(
        "retention-takes-newest", "the newest event of a stream is deleted, and its number given again",
        "EventStore/EventLog.swift",
        'where stream = ? and sequence < ? order by sequence limit ?',
        'where stream = ? and sequence <= ? order by sequence limit ?', "WorkerTests.RequestRetention"),

    # MARK: Publisher and subscription
    Fault(
        "heartbeat-of-nothing", "a heartbeat does not say how far the log is", "Messaging/Publishing/Publisher.swift",
        'positions: state.positions)', 'positions: state.positions.mapValues { _ in .zero })', "MessagingTests.Publisher"),
    Fault(
        "hole-unnoticed", "a subscription takes an event after a hole", "Messaging/Subscription/SubscriptionStateMachine.swift",
        'event.sequence == cursor.after.advanced(by: 1)', 'event.sequence > cursor.after',
        "MessagingTests.SubscriptionStateMachine"),
    Fault(
        "events-twice", "a subscription hands over what it had", "Messaging/Subscription/SubscriptionStateMachine.swift",
        'guard !cursor.contains(event.sequence) else', 'guard event.sequence > .zero else',
        "MessagingTests.Subscription"),
    Fault(
        "filter-forgotten", "what is read from the log is not filtered", "Messaging/Subscription/SubscriptionStateMachine.swift",
        '!position[stream].contains(event.sequence) && filter.includes(event.topic)',
        '!position[stream].contains(event.sequence)', "MessagingTests.Subscription"),

    # MARK: Access
    Fault(
        "role-not-asked", "a client without the role is obeyed", "Messaging/Access/RequestGuard.swift",
        'roles.contains(role) else {', '!roles.isEmpty || roles.contains(role) else {', "MessagingTests.AccessControl"),
    Fault(
        "queue-without-limit", "one client may queue any number of requests", "Messaging/Access/RequestGuard.swift",
        'guard waiting >= queueLimit else { return nil }', 'guard waiting > .max - 1 else { return nil }',
        "MessagingTests.(AccessControl|CommandServer)|WorkerTests.RequestIntake"),
    Fault(
        "unread-without-limit", "a client that does not read gets page after page", "Messaging/Access/RequestGuard.swift",
        'guard unread > Self.unreadLimit else { return nil }', 'guard unread > .max - 1 else { return nil }',
        "MessagingTests.(AccessControl|Command|LogCommand)"),

    # MARK: Intake
    Fault(
        "conflict-accepted", "an id with another body counts as repeated", "Worker/Requests/RequestInbox+Intake.swift",
        'return earlier == (topic, Self.digest(of: item.frames.body)) ? .duplicate : .conflict',
        'return earlier.0 == topic ? .duplicate : .conflict', "WorkerTests.Request"),
    Fault(
        "one-try-too-many", "a request that ends the worker is begun once more", "Worker/Requests/RequestInbox.swift",
        'guard tries < Self.triesLimit else {', 'guard tries <= Self.triesLimit else {',
        "WorkerTests.RequestRetention"),
    Fault(
        "backfill-first", "live requests wait for backfill", "Worker/Requests/RequestQueue.swift",
        'live.popFirst() ?? backfill.popFirst()', 'backfill.popFirst() ?? live.popFirst()', "WorkerTests.RequestQueue"),
    Fault(
        "stale-chart", "a provisional chart is served for ever", "Worker/Fetching/Freshness.swift",
        'if try event.data(as: StateOfChart.self).value == .settled { return true }',
        'if try [.settled, .provisional].contains(event.data(as: StateOfChart.self).value) { return true }',
        "WorkerTests"),

    # MARK: Settlement
    Fault(
        "empty-events", "`request.done` names no events", "Worker/Fetching/SettlementStore.swift",
        'EventDraft(done: accepted, events: events, result)', 'EventDraft(done: accepted, events: [], result)',
        "WorkerTests.WorkerStore"),
    Fault(
        "two-ends", "a request ends twice", "Worker/Fetching/SettlementStore.swift",
        'guard try inbox.settle(accepted.id, as: state) else { return false }',
        '_ = try inbox.settle(accepted.id, as: state)', "WorkerTests.WorkerStore"),
    Fault(
        "older-answer-wins", "an answer that was slow replaces a newer one", "Worker/Fetching/SettlementStore.swift",
        'askedAt < checked, checked <= now', 'askedAt < .distantPast, checked <= now', "WorkerTests"),
    Fault(
        "secret-stays", "a vendor's secret stays when its order has ended", "Worker/Shop/OrderStore.swift",
        '"delete from attachment where request = ?"', '"delete from attachment where request = ? and number > 0"',
        "WorkerTests.VendorSecret"),
    Fault(
        "order-sent-again", "an order that was begun before a crash is not looked for", "Worker/Shop/ProductOrderExecutor.swift",
        'if let intent = try await intent(of: id), let value = try await check(intent, verify) { return value }\n', '\n',
        "WorkerTests.ProductOrder"),

    # MARK: Quota
    Fault(
        "no-booking", "a call is made that is not booked", "Worker/Fetching/QuotaLedger.swift",
        'if connection.changedRows > 0 { return nil }', 'if limit > 0 { return nil }',
        "WorkerTests.QuotaLedger"),
    Fault(
        "one-call-too-many", "a day has one call more than its limit", "Worker/Fetching/QuotaLedger.swift",
        'set used = quota.used + 1 where quota.used < ?', 'set used = quota.used + 1 where quota.used <= ?', "WorkerTests.QuotaLedger"),
    Fault(
        "reserve-ignored", "backfill uses the calls of live requests", "Worker/Fetching/QuotaLedger.swift",
        'case .backfill: unreserved\n', 'case .backfill: limit\n', "WorkerTests.QuotaLedger"),
    Fault(
        "visitors-unlimited", "visitors of a board use what is left to its operator", "Worker/Fetching/QuotaLedger.swift",
        'case .visitors: unreserved / 2', 'case .visitors: limit', "WorkerTests.QuotaLedger"),
    Fault(
        "closing-forgotten", "an upstream that reported its quota as used up is called", "Worker/Fetching/QuotaLedger.swift",
        'if let pause = try pause(of: service, at: now, in: connection) {', 'if let pause = Optional<Duration>.none {',
        "WorkerTests.QuotaLedger"),

    # MARK: Dates and figures
    Fault(
        "wrong-zone", "a day in Korea begins an hour late", "BoxOffice/KoreanDate.swift",
        'private static let offset = 9.0 * 3600', 'private static let offset = 8.0 * 3600', "BoxOfficeTests.KoreanDate"),
    Fault(
        "no-leap-century", "2000-02-29 is no day", "BoxOffice/KoreanDate.swift",
        'shifted / 4 - shifted / 100 + shifted / 400', 'shifted / 4 - shifted / 100', "BoxOfficeTests.KoreanDate"),
    Fault(
        "settled-a-day-early", "a chart that can change is final", "BoxOffice/Charts/Chart.swift",
        'instant < (date + 4).start', 'instant < (date + 3).start', "BoxOfficeTests"),
    Fault(
        "departure-uncorrected", "a movie that a correction removed is not named", "BoxOffice/Charts/Correction.swift",
        '+ unmatched.map {', '+ [ChartEntry]().map {', "BoxOfficeTests.Correction"),
    Fault(
        "lines-of-a-movie-confused", "a movie on two lines is compared with its first one",
        "BoxOffice/Charts/Correction.swift",
        'take { $0.movieCode == entry.movieCode && $0.line == entry.line }', 'take { $0.movieCode == entry.movieCode }',
        "BoxOfficeTests.Correction"),
    Fault(
        "further-line-counts", "a movie on two lines is two movies", "BoxOffice/Charts/Chart.swift",
        '!lines[..<index].contains', '!lines[..<0].contains', "NotifierTests.AlertRules"),
    Fault(
        "losses-are-gains", "a negative percentage loses its sign", "BoxOffice/Charts/Percent.swift",
        'self.init(tenths: isNegative ? -tenths : tenths)', 'self.init(tenths: isNegative ? tenths : tenths)',
        "BoxOfficeTests.Percent"),

    # MARK: Upstreams and HTTP
    Fault(
        "error-in-200-unseen", "an error with status 200 is read as a chart", "Upstreams/Kobis/Kobis.swift",
        'for key in ["faultInfo", "faultResult"]', 'for key in ["faultResult"]', "UpstreamsTests.Kobis"),
    Fault(
        "other-day-taken", "the chart of another day is taken for the requested one", "Upstreams/Kobis/Kobis.swift",
        'if let range = chart.range, range != "\\(first.compact)~\\(last.compact)" {', 'if let range = chart.range, range.isEmpty {', "UpstreamsTests.Kobis"),
    Fault(
        "quota-taken-for-fault", "Kakao's used-up quota is tried again at once", "Upstreams/Kakao/KakaoImageSearch.swift",
        'case -10: return .quotaExhausted', 'case -10: return .unavailable', "UpstreamsTests.Kakao"),
    Fault(
        "product-twice", "a product that is twice in a page comes twice", "OpenMarket/Product.swift",
        'products.filter { seen.insert($0.id).inserted }', 'products.filter { seen.insert($0.id).inserted || true }',
        "OpenMarketTests"),
    Fault(
        "order-retried", "a request that is not repeatable is sent again", "Networking/Retry/RetryPolicy.swift",
        'guard error.isTransient, isRepeatable, failures', 'guard error.isTransient, failures', "NetworkingTests.Retr"),
    Fault(
        "pause-ignored", "`Retry-After` is not waited for", "Networking/Retry/RetryPolicy.swift",
        'max(ceiling * fraction, error.retryAfter ?? .zero)', 'ceiling * fraction', "NetworkingTests.Retr"),
    Fault(
        "private-address-fetched", "an image is fetched from 172.31.0.1", "Networking/HTTP/HTTPRequest.swift",
        '([172, 16], 12)', '([172, 16], 16)', "NetworkingTests.(AddressPolicy|IPAddress)"),

    # MARK: Texts and secrets
    Fault(
        "encoded-key-shown", "a percent-encoded key is not redacted", "Text/Redactor.swift",
        'byte == UInt8(ascii: "%") || beginnings', 'beginnings', "TextTests.Redactor"),
    Fault(
        "formula-in-csv", "a title that begins with @ is run by a spreadsheet", "Text/Escaping.swift",
        'case "=", "+", "-", "@", "\\t"', 'case "=", "+", "-", "\\t"', "TextTests.Escaping"),
    Fault(
        "quote-unescaped", "a quote in a title ends the JSON string", "JSONCoding/JSONWriter.swift",
        'appendJSON("\\\\\\"")', 'appendJSON("\\"")', "JSONCodingTests"),

    # MARK: Alerts and messages
    Fault(
        "three-is-not-enough", "a movie that rose by the threshold fires nothing", "Notifier/Rules/RankRules.swift",
        'let change = input.entry.change, change >= by', 'let change = input.entry.change, change > by',
        "NotifierTests.AlertRules"),
    Fault(
        "lost-retraction", "who got an alert is not told that it was taken back", "Notifier/Delivery/Outbox.swift",
        'return attempts ?? 0 > 0 ? .waiting : nil', 'return attempts ?? 0 < 0 ? .waiting : nil', "NotifierTests.(Outbox|SinkWorker)"),
    Fault(
        "try-not-recorded", "a message that was tried counts as never sent", "Notifier/Delivery/Outbox.swift",
        'key, row.attempts + 1', 'key, row.attempts', "NotifierTests.(Outbox|SinkWorker)"),
    Fault(
        "old-message-valid", "a message's signature does not cover its time", "Notifier/Delivery/Sinks/WebhookSink.swift",
        '"\\(message.key).\\(timestamp)."', '"\\(message.key)."', "NotifierTests.Sink"),
    Fault(
        "short-night", "quiet hours end at midnight", "Notifier/Delivery/DeliveryPolicy.swift",
        'return [today - 1, today].lazy', 'return [today].lazy', "NotifierTests.QuietHours"),

    # MARK: Images and the board
    Fault(
        "bomb-decoded", "an image of 16,000 × 16,000 pixels is allowed", "Imaging/ImageHeader.swift",
        'return header.width * header.height <= maximumPixels ? header : nil', 'return header', "ImagingTests.ImageHeader"),
    Fault(
        "lying-on-its-side", "a JPEG's width and height are exchanged", "Imaging/DecodingPlan.swift",
        'width: Int(segment[3]) << 8 | Int(segment[4]), height: Int(segment[1]) << 8 | Int(segment[2]),',
        'width: Int(segment[1]) << 8 | Int(segment[2]), height: Int(segment[3]) << 8 | Int(segment[4]),', "ImagingTests.ImageHeader"),
    Fault(
        "any-host", "a name that was rebound reaches the board", "WebServer/HostPolicy.swift",
        'ClientAddress(name) != nil || allowed.contains',
        'ClientAddress(name) != nil || !allowed.isEmpty || allowed.contains',
        "WebServerTests.Host"),
    Fault(
        "other-site-writes", "another site's page can send requests through the board", "Board/Routes/API+Writing.swift",
        'guard ["same-origin", nil].contains', 'guard ["same-origin", "cross-site", nil].contains', "BoardTests.Order"),
    Fault(
        "anybody-orders", "a visitor changes products without the password", "Board/Routes/RequestForwarder.swift",
        'guard isSignedIn || !Self.orderTopics.contains(topic) else', 'guard isSignedIn || !images.isEmpty || !Self.orderTopics.isEmpty else',
        "BoardTests.Order"),
]
