import Contract
import FoundationEssentials
import JSONCoding

extension SinkMessage {
    /// A letter that only says that letters arrive, another one each second.
    init(trialOf sink: String, at now: Date) throws(EncodingError) {
        let text = Alert.Text(
            ko: "마키 시험 알림: \(sink) 연결이 잘 됩니다", en: "A test of marquee: alerts arrive at \(sink)")
        key = "test.\(sink).\(Int(now.timeIntervalSince1970))"
        let event = TrialEvent(id: key, data: ["text": ["ko": text.ko, "en": text.en]])
        alerts = [
            OutboundAlert(
                id: key, body: try JSON.encode(event), rule: "test", subject: "test", severity: .info, text: text,
                retracts: nil)
        ]
    }

    /// An event that is in no log.
    private struct TrialEvent: Encodable {
        let specversion = "1.0"
        let id: String
        let source = "/marquee/notifier"
        let type = "marquee.test.v1"
        let datacontenttype = "application/json"
        let data: [String: [String: String]]
    }
}
