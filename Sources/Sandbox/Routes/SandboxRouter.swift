import BoxOffice
import Concurrency
import FoundationEssentials
import JSONCoding
import Text
import WebServer

/// Routes a sandbox's requests to the three services, the images and `/control`, and injects the faults that are set.
final class SandboxRouter: Sendable {
    private let kobis: KobisHandler
    private let kakao: KakaoHandler
    private let posters: PosterImageHandler
    private let openMarket: OpenMarketHandler
    private let counters: Locked<RequestCounters>
    private let now: @Sendable () -> Date

    init(options: SandboxOptions, now: @escaping @Sendable () -> Date) throws(SandboxError) {
        let world = World(seed: options.seed)
        let catalog: any MovieCatalog
        if let folder = options.recordings {
            catalog = try Recordings(folder: folder)
        } else {
            catalog = world
        }
        kobis = KobisHandler(key: options.kobisKey, catalog: catalog)
        kakao = KakaoHandler(catalog: catalog)
        posters = PosterImageHandler(world: world)
        openMarket = OpenMarketHandler(options: options, opened: now())
        counters = Locked(RequestCounters(faults: options.faults))
        self.now = now
    }

    func respond(to request: WebRequest) async -> WebResponse {
        if request.path == "/control" { return control(request) }
        if request.path == "/healthz" { return .text("ok\n") }
        counters.withLock { $0.count(OpenMarketHandler.pathWithoutSecret(request)) }
        let instant = now().addingTimeInterval(Double(counters.withLock { $0.faults.clockOffset }))
        guard let service = SimulatedService(path: request.path) else {
            return .html(HTMLPage.notFound, status: 404)
        }
        let (delay, fault) = counters.withLock { $0.nextFault(for: service) }
        if delay > 0 {
            // Cancelled only by a shutdown; the server then answers by itself.
            try? await Task.sleep(for: .milliseconds(delay))
        }
        if let fault { return await inject(fault, into: request, of: service, at: instant) }
        return respond(to: request, of: service, at: instant)
    }

    private func respond(to request: WebRequest, of service: SimulatedService, at instant: Date) -> WebResponse {
        let day = KoreanDate(at: instant)
        switch service {
        case .kobis:
            if kobis.accepts(request), !counters.withLock({ $0.consumeQuota(of: .kobis, on: day) }) {
                return .json(SimulatedKobisError.quotaExhausted.body)
            }
            return kobis.respond(to: request, at: instant)
        case .kakao:
            if kakao.accepts(request), !counters.withLock({ $0.consumeQuota(of: .kakao, on: day) }) {
                return SimulatedKakaoError.throttled.response
            }
            return kakao.respond(to: request, base: Self.base(of: request), at: instant)
        case .images:
            return posters.respond(to: request)
        case .openMarket:
            return openMarket.respond(to: request, base: Self.base(of: request), at: instant)
        }
    }

    private func inject(
        _ fault: FaultProfile.InjectedFault, into request: WebRequest, of service: SimulatedService,
        at instant: Date
    ) async -> WebResponse {
        let faultProfile = counters.withLock { $0.faults[service] }
        switch fault {
        case .hang:
            while !Task.isCancelled {
                // The sleep ends early only when the server stops and cancels its open requests.
                try? await Task.sleep(for: .seconds(3600))
            }
            return .html(HTMLPage.maintenance, status: 503)
        case .giant:
            return Self.giantResponse(size: faultProfile.number(.giantSize) ?? 64 << 20)
        case .status(let status):
            var response = WebResponse.html(HTMLPage.maintenance, status: status)
            if let seconds = faultProfile.number(.retryAfter) {
                response.headers.append(("Retry-After", String(seconds)))
            }
            return response
        case .notice:
            return .html(HTMLPage.maintenance)
        case .truncated:
            var response = respond(to: request, of: service, at: instant)
            guard case .bytes(let bytes) = response.body else { return response }
            response.body = .truncated(Array(bytes.prefix(bytes.count / 2)), announced: bytes.count)
            return response
        case .serviceError(let code):
            switch service {
            case .kobis: return .json(SimulatedKobisError.recorded(code).body)
            case .kakao, .images: return SimulatedKakaoError.recorded(code).response
            case .openMarket: return OpenMarketError.recorded(code).response
            }
        case .dead:
            return .html(HTMLPage.notFound, status: 404)
        }
    }

    /// Announces `size` bytes and sends at most 64 MiB of them; then the connection ends.
    private static func giantResponse(size: Int) -> WebResponse {
        var body = [UInt8](repeating: UInt8(ascii: " "), count: min(size, 64 << 20))
        body[0] = UInt8(ascii: "{")
        var response = WebResponse.json(body)
        if size > body.count { response.body = .truncated(body, announced: size) }
        return response
    }

    /// Serves `/control`: GET returns the faults and the counters, PUT replaces the faults by those in its JSON body,
    /// PATCH adds them to those that are set, DELETE restores the faults of the start and clears the counters.
    private func control(_ request: WebRequest) -> WebResponse {
        do throws(SandboxError) {
            switch request.method {
            case "GET": break
            case "DELETE": counters.withLock { $0.reset() }
            case "PUT", "PATCH":
                var faults = request.method == "PUT" ? Faults() : counters.withLock { $0.faults }
                try faults.set(json: request.body)
                counters.withLock { [faults] in $0.set(faults) }
            default: return .text("GET, PUT, PATCH or DELETE\n", status: 405)
            }
            return .json(counters.withLock { $0.json })
        } catch {
            return .json((["error": error.description] as OrderedObject).json, status: 400)
        }
    }

    /// Returns the sandbox's URL as the client addresses it.
    ///
    /// The `Host` header decides, because a container's own address is not its address outside the container.
    private static func base(of request: WebRequest) -> String {
        let host = request.header("Host") ?? ""
        let isHost = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) }
        return isHost && !host.isEmpty ? "http://\(host)" : "http://127.0.0.1:8590"
    }
}

extension SimulatedService {
    fileprivate init?(path: String) {
        let prefixes: [(String, SimulatedService)] = [
            ("\(KobisHandler.prefix)/", .kobis), (KakaoHandler.path, .kakao), ("/posters/", .images),
            ("/thumbnails/", .images), ("\(OpenMarketHandler.prefix)/", .openMarket),
        ]
        guard let service = prefixes.first(where: { path.hasPrefix($0.0) })?.1 else { return nil }
        self = service
    }
}

// MARK: - HTML pages

/// HTML pages that real services return where a client expects JSON or an image.
enum HTMLPage {
    static let maintenance = page("시스템 점검 안내", "보다 나은 서비스를 위하여 시스템 점검 중입니다.")

    static let notFound = page("404", "요청하신 페이지를 찾을 수 없습니다.")

    static let removedImage = page("삭제된 이미지", "삭제되었거나 존재하지 않는 이미지입니다.")

    private static func page(_ title: String, _ text: String) -> [UInt8] {
        Array(
            """
            <!DOCTYPE html>
            <html lang="ko"><head><meta charset="utf-8"><title>\(title)</title></head>
            <body><h1>\(title)</h1><p>\(text)</p></body></html>

            """.utf8)
    }
}

extension WebResponse {
    static func html(_ page: [UInt8], status: Int = 200) -> WebResponse {
        WebResponse(status: status, contentType: "text/html;charset=UTF-8", body: .bytes(page))
    }
}
