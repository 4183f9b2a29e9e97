import BoxOffice
import Concurrency
import FoundationEssentials
import JSONCoding
import WebServer

/// What answers a sandbox's requests: the three services, the pictures and the control path, with faults before them.
final class SandboxRouter: Sendable {
    private let kobis: KobisHandler
    private let kakao: KakaoHandler
    private let gallery: PosterHandler
    private let shop: OpenMarketHandler
    private let ledger: Locked<RequestCounters>
    private let clock: @Sendable () -> Date

    init(options: SandboxOptions, now: @escaping @Sendable () -> Date) throws(SandboxError) {
        let world = World(seed: options.seed)
        let repertoire: any MovieCatalog
        if let folder = options.recordings {
            repertoire = try Recordings(folder: folder)
        } else {
            repertoire = world
        }
        kobis = KobisHandler(key: options.kobisKey, repertoire: repertoire)
        kakao = KakaoHandler(key: options.kakaoKey, repertoire: repertoire)
        gallery = PosterHandler(world: world)
        shop = OpenMarketHandler(options: options, opened: now())
        ledger = Locked(RequestCounters(faults: options.faults))
        clock = now
    }

    func answer(_ request: WebRequest) async -> WebResponse {
        if request.path == "/control" { return control(request) }
        if request.path == "/healthz" { return .text("ok\n") }
        ledger.withLock { $0.count(OpenMarketHandler.pathWithoutSecret(request)) }
        let instant = clock().addingTimeInterval(Double(ledger.withLock { $0.faults.clockOffset }))
        guard let service = RequestCounters.Service(path: request.path) else {
            return .html(MaintenancePage.notFound, status: 404)
        }
        let (delay, mishap) = ledger.withLock { $0.next(service) }
        if delay > 0 {
            // Cancelled only by a shutdown, which answers in its own way.
            try? await Task.sleep(for: .milliseconds(delay))
        }
        if let mishap { return await misbehave(mishap, to: request, of: service, at: instant) }
        return answer(request, of: service, at: instant)
    }

    /// The answer of a service that behaves.
    private func answer(_ request: WebRequest, of service: RequestCounters.Service, at instant: Date) -> WebResponse {
        let day = KoreanDate(at: instant)
        switch service {
        case .kobis:
            if kobis.accepts(request), !ledger.withLock({ $0.book(.kobis, on: day) }) {
                return .json(KobisError.quotaExhausted.body)
            }
            return kobis.answer(request, at: instant)
        case .kakao:
            if kakao.accepts(request), !ledger.withLock({ $0.book(.kakao, on: day) }) {
                return KakaoError.throttled.response
            }
            return kakao.answer(request, base: Self.base(of: request), at: instant)
        case .images:
            return gallery.answer(request)
        case .openMarket:
            return shop.answer(request, base: Self.base(of: request), at: instant)
        }
    }

    private func misbehave(
        _ mishap: FaultProfile.InjectedFault, to request: WebRequest, of service: RequestCounters.Service,
        at instant: Date
    ) async -> WebResponse {
        let behaviour = ledger.withLock { $0.faults[service] }
        switch mishap {
        case .hang:
            while !Task.isCancelled {
                // The sleep ends early only when the server stops and cancels whoever still waits.
                try? await Task.sleep(for: .seconds(3600))
            }
            return .html(MaintenancePage.maintenance, status: 503)
        case .giant:
            // Announced in full and sent as far as this process can hold it: whoever reads on is cut off.
            var body = [UInt8](repeating: UInt8(ascii: " "), count: min(behaviour.giantSize, 64 << 20))
            body[0] = UInt8(ascii: "{")
            var response = WebResponse.json(body)
            if behaviour.giantSize > body.count { response.body = .truncated(body, announced: behaviour.giantSize) }
            return response
        case .status(let status):
            var response = WebResponse.html(MaintenancePage.maintenance, status: status)
            if let seconds = behaviour.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
            return response
        case .notice:
            return .html(MaintenancePage.maintenance)
        case .truncated:
            var response = answer(request, of: service, at: instant)
            guard case .bytes(let bytes) = response.body else { return response }
            response.body = .truncated(Array(bytes.prefix(bytes.count / 2)), announced: bytes.count)
            return response
        case .fault(let code):
            switch service {
            case .kobis: return .json(KobisError.recorded(code).body)
            case .kakao, .images: return KakaoError.recorded(code).response
            case .openMarket: return OpenMarketError.recorded(code).response
            }
        case .dead:
            return .html(MaintenancePage.notFound, status: 404)
        }
    }

    /// Reads and sets the switches: GET shows them with the counters, PUT sets exactly those in its JSON body, PATCH
    /// those beside what is set, DELETE goes back to the start.
    private func control(_ request: WebRequest) -> WebResponse {
        do throws(SandboxError) {
            switch request.method {
            case "GET": break
            case "DELETE": ledger.withLock { $0.reset() }
            case "PUT", "PATCH":
                var faults = request.method == "PUT" ? Faults() : ledger.withLock { $0.faults }
                try faults.set(json: request.body)
                ledger.withLock { [faults] in $0.set(faults) }
            default: return .text("GET, PUT, PATCH or DELETE\n", status: 405)
            }
            return .json(ledger.withLock { $0.tree }.json)
        } catch {
            return .json(JSONTree.object([("error", .string(error.description))]).json, status: 400)
        }
    }

    /// Where the client reaches the sandbox, by its own word, since a container's address is another outside of it.
    private static func base(of request: WebRequest) -> String {
        let host = request.header("Host") ?? ""
        let isHost = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        return isHost && !host.isEmpty ? "http://\(host)" : "http://127.0.0.1:8590"
    }
}

extension RequestCounters.Service {
    /// The service that a path belongs to.
    fileprivate init?(path: String) {
        if path.hasPrefix(KobisHandler.prefix + "/") {
            self = .kobis
        } else if path == KakaoHandler.path {
            self = .kakao
        } else if PosterHandler.serves(path) {
            self = .images
        } else if path.hasPrefix(OpenMarketHandler.prefix + "/") {
            self = .openMarket
        } else {
            return nil
        }
    }
}

extension WebResponse {
    static func html(_ page: [UInt8], status: Int = 200) -> WebResponse {
        WebResponse(status: status, contentType: "text/html;charset=UTF-8", body: .bytes(page))
    }
}
