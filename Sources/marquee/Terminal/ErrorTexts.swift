import BoxOffice
import Concurrency
import Contract
import Messaging
import Networking
import OpenMarket
import ServiceRuntime
import Storage
import Text
import ZeroMQ

extension Language {
    /// Returns what is wrong, in this language.
    func text(of error: any Error) -> String {
        switch error {
        case let error as any BilingualError: error.text(in: self)
        case let error as DatabaseError: error.text(in: self)
        case let error as ResponseTimeoutError: error.text(in: self)
        case let error as ZeroMQError: error.text(in: self)
        case let error as SystemError: error.text(in: self)
        // An error of a rare kind is in English.
        default: self("오류가 발생했습니다\n  원문: \(error)", "\(error)")
        }
    }
}

extension ContractError {
    /// The lines that report this error on the terminal.
    ///
    /// The message comes over the wire and is in English. In Korean it has a line of its own, and only where the code and
    /// the field do not say as much.
    ///
    /// - Parameter topic: the kind of the request that failed, if it was one
    func text(of topic: RequestTopic? = nil, in language: Language = .current) -> [String] {
        let english = "\(message)\(field.map { " (\($0))" } ?? "")"
        guard language == .ko else { return ["marquee: \(code.rawValue): \(english)"] }
        return ["marquee: \(korean(of: topic)) (\(code.rawValue))"]
            + (code.isExplained || koreanFault != nil ? [] : ["  원문: \(english)"])
    }

    /// Prints this error, and returns the exit status of the command that it ends.
    func report(of topic: RequestTopic? = nil) -> ExitStatus {
        text(of: topic).forEach(Console.printError)
        return code.isRetryable ? .retryable : .failed
    }

    /// What is wrong, in Korean: with the field if a command sets it, else what the code means for a request.
    private func korean(of topic: RequestTopic?) -> String {
        koreanFault ?? (code == .notFound ? topic?.koreanNotFound : nil) ?? code.korean
    }

    private var koreanFault: String? {
        // In an answer of a service, `field` is a path of its own.
        [.badRequest, .dateOutOfRange].contains(code) ? field.flatMap(\.koreanFault) : nil
    }

    /// This error in one line: in English the message of the wire, in Korean what the code means.
    func summary(of topic: RequestTopic? = nil, in language: Language = .current) -> String {
        language("\(korean(of: topic)) (\(code.rawValue))", "\(code.rawValue): \(message)")
    }
}

extension ProductValidationError {
    func text(in language: Language = .current) -> String {
        language(field.koreanFault ?? message, message)
    }
}

extension String {
    /// What is wrong with the field of a request that has this name, in Korean; nil for a field that a command checks itself.
    fileprivate var koreanFault: String? {
        switch self {
        case "date": "\(KoreanDate.firstChart)부터 어제까지의 날짜를 지정하세요"
        case "first": "시작일은 \(KoreanDate.firstChart) 이후이고 종료일보다 늦지 않아야 합니다"
        case "last": "종료일은 \(KoreanDate.firstChart)부터 어제까지여야 합니다"
        case "area": "없는 지역 코드입니다. 지역 코드는 `marquee areas`에서 볼 수 있습니다"
        case "name": "상품명은 3자 이상이어야 합니다"
        case "description": "설명은 10~1,000자여야 합니다"
        case "price": "정가는 0보다 커야 합니다"
        case "discountedPrice": "할인 금액은 0 이상이고 정가 이하여야 합니다"
        case "currency": "통화는 KRW 또는 USD여야 합니다"
        case "stock": "재고는 0 이상의 정수여야 합니다"
        case "images": "사진은 1~5장이어야 합니다"
        case "thumbnailId": "대표 사진은 상품 사진의 번호로 지정하세요"
        case "secret": "판매자 비밀키는 1~256바이트여야 합니다"
        case _ where hasPrefix("images["): "사진이 JPEG나 PNG가 아니거나, 손상되었거나, 너무 큽니다: \(self)"
        default: nil
        }
    }
}

extension RequestTopic {
    /// What it means in Korean that the subject of the request is not found; nil if the code says as much.
    fileprivate var koreanNotFound: String? {
        switch self {
        case .fetchMovie: "영화진흥위원회에 등록되지 않은 영화 코드입니다"
        case .fetchProduct, .productModify, .productRemove: "오픈마켓에 없는 상품입니다"
        case .fetchDay, .fetchWeek, .fetchProducts, .fetchCatalogue, .productRegister: nil
        }
    }
}

extension ContractError.Code {
    /// Whether the Korean of the code says all that the message does.
    fileprivate var isExplained: Bool {
        ![.badRequest, .dateOutOfRange, .unauthorized, .forbidden, .upstreamUnavailable, .upstreamInvalid, .internal]
            .contains(self)
    }

    var korean: String {
        switch self {
        case .badRequest: "잘못된 요청입니다"
        case .dateOutOfRange: "조회할 수 없는 날짜입니다"
        case .conflict: "같은 ID로 다른 내용의 요청이 이미 접수되었습니다"
        case .notPublished: "아직 집계되지 않았습니다"
        case .notFound: "찾을 수 없습니다. 지정한 코드나 번호를 확인하세요"
        case .unauthorized: "API 인증키가 없거나 올바르지 않습니다"
        case .forbidden: "권한이 없습니다"
        case .quotaExhausted: "오늘의 API 호출 한도를 모두 사용했습니다"
        case .upstreamUnavailable: "외부 서비스에 연결할 수 없거나 서비스에 오류가 있습니다"
        case .upstreamTimeout: "외부 서비스의 응답 시간이 초과되었습니다"
        case .maintenance: "외부 서비스가 점검 중입니다"
        case .upstreamInvalid: "외부 서비스의 응답을 해석할 수 없습니다"
        case .uncertain: "처리 결과를 확인하지 못했습니다"
        case .overloaded: "요청이 너무 많습니다"
        case .internal: "내부 오류가 발생했습니다"
        }
    }
}

extension UpstreamError {
    /// Why the service at a URL gave no answer.
    func text(of url: String, in language: Language = .current) -> String {
        let korean =
            switch kind {
            // What is wrong with an address is only in the message.
            case .wrongAddress: "주소나 인증서가 올바르지 않습니다(원문: \(message))"
            case .unavailable: "연결할 수 없거나 오류 응답을 받았습니다"
            case .timeout: "응답 시간이 초과되었습니다"
            case .invalid: "응답을 해석할 수 없습니다"
            case .cancelled: "취소되었습니다"
            // The other kinds have the names of codes.
            default: ContractError.Code(rawValue: kind.rawValue)?.korean ?? kind.rawValue
            }
        return language("\(url): \(korean)", message)
    }
}

extension ResponseTimeoutError {
    /// The addresses, and what to check; where the cause can be the name of one, what to write instead.
    func text(
        in language: Language = .current, resolve: (ZeroMQAddress) -> [ZeroMQAddress]? = { $0.resolved() }
    ) -> String {
        let names = addresses.joined(separator: ", ")
        let text = language("\(names)에서 응답이 없습니다. 프로세스가 실행 중인지, 주소가 맞는지 확인하세요", description)
        guard addresses.count == 1, let resolved = ZeroMQAddress(names).flatMap(resolve) else { return text }
        guard !resolved.isEmpty else {
            return text + language(". 이 이름의 IP 주소를 찾을 수 없습니다", "; the name has no address")
        }
        // libzmq tries one address of a name.
        guard let other = resolved.first(where: { $0.description.hasPrefix("tcp://[") }) else { return text }
        return text
            + language(
                ". 이름은 IPv4 주소로만 연결합니다. 프로세스가 IPv6에서 대기하면 \(other)를 지정하세요",
                "; of a name only the IPv4 address is tried: write \(other) if the process listens there")
    }
}

extension ZeroMQError {
    /// The address, the reason, and what to do.
    func text(in language: Language = .current) -> String {
        let failure =
            switch action {
            case "bind": "\(subject) 주소를 열 수 없습니다"
            case "connect": "\(subject) 주소에 연결할 수 없습니다"
            default: "소켓 작업에 실패했습니다"
            }
        return language("\(failure). \(koreanReason)", description)
    }

    private var koreanReason: String {
        switch reason {
        case .addressInUse: "다른 프로그램이 사용 중입니다. 해당 프로그램을 종료하거나 다른 주소를 지정하세요"
        case .addressNotAvailable: "이 컴퓨터에 없는 주소입니다. IP 주소, 인터페이스 이름 또는 *를 지정하세요"
        case .invalidAddress: "주소가 올바르지 않습니다. 예: tcp://127.0.0.1:5550"
        case .accessDenied: "권한이 없습니다. 다른 포트나 경로를 지정하세요"
        case .tooManySockets: "열린 소켓이나 파일이 너무 많습니다. 열 수 있는 파일 수의 제한을 늘리세요"
        case .closed: "이미 닫힌 소켓입니다"
        case .other: "이유: \(BilingualText(errno: code).text(in: .ko))"
        }
    }
}

extension SystemError {
    /// The system call and the reason.
    func text(in language: Language = .current) -> String {
        language("시스템 호출에 실패했습니다: \(function)(\(BilingualText(errno: code).text(in: .ko)))", description)
    }
}

extension DatabaseError {
    /// The file, the reason, and what to do. In Korean the reason is that of the kind, because SQLite's own is in English.
    func text(in language: Language = .current) -> String {
        let (reason, advice) = kind.korean
        return language("\(database): \(reason)\(code.map { "(코드 \($0))" } ?? ""). \(advice)", description)
    }
}

extension DatabaseError.Kind {
    /// What the kind means and what to do about it, in Korean.
    fileprivate var korean: (reason: String, advice: String) {
        switch self {
        case .cannotOpen: ("파일을 열 수 없습니다", "폴더가 있는지, 이 사용자에게 읽기·쓰기 권한이 있는지 확인하세요")
        case .inUse: ("다른 프로세스가 사용 중입니다", "해당 프로세스를 종료하거나 다른 폴더를 사용하세요")
        case .readOnly: ("파일이나 폴더에 쓸 수 없습니다", "쓰기 권한을 주거나, -wal 파일까지 쓰기 가능한 폴더로 복사하세요")
        case .full: ("디스크 공간이 부족합니다", "디스크 공간을 확보하세요")
        case .busy: ("다른 프로그램이 파일을 잠그고 있습니다", "잠금이 풀릴 때까지 기다리거나 해당 프로그램을 종료하세요")
        case .notADatabase, .foreign: ("marquee의 데이터베이스가 아닙니다", "파일을 옮기거나 다른 폴더를 사용하세요")
        case .newerSchema: ("더 새로운 버전에서 만든 파일입니다", "새 버전을 실행하거나 업데이트 전의 백업을 복원하세요")
        case .olderSchema: ("이전 버전에서 만든 파일입니다", "이 파일을 쓰는 프로세스를 한 번 실행하면 업데이트됩니다")
        case .exists: ("파일이나 데이터베이스가 이미 있습니다", "다른 곳을 지정하세요")
        case .corrupt: ("손상된 데이터베이스입니다", "`marquee restore`로 백업을 복원하세요. 이 파일은 다른 이름으로 보관됩니다")
        case .disk: ("디스크에서 읽거나 쓰지 못했습니다", "디스크와 시스템 로그를 확인하세요")
        case .unreachable: ("데이터베이스 서버에 연결할 수 없습니다", "서버가 실행 중인지, 이 컴퓨터에서 연결되는지 확인하세요")
        case .refused:
            ("데이터베이스 서버가 거절했습니다", "MARQUEE_DATABASE의 사용자, 비밀번호, 데이터베이스 이름과 권한을 확인하세요")
        case .unsupported: ("지원하지 않는 데이터베이스 서버입니다", "PostgreSQL 14 이상의 UTF8 데이터베이스에 풀러 없이 직접 연결하세요")
        case .remote: ("서버에 있는 데이터베이스입니다", "PostgreSQL의 `pg_dump`, `pg_restore`를 사용하세요")
        case .constraint, .closed, .other: ("데이터베이스 작업에 실패했습니다", "계속되면 프로세스의 로그를 확인하세요")
        }
    }
}
