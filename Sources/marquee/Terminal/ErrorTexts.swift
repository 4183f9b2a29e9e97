import Contract
import Messaging
import Networking
import Notifier
import Operations
import SQLite

extension ContractError {
    /// The lines that report this error on the terminal.
    ///
    /// The message comes over the wire and is in English, so that in Korean it has a line of its own.
    func text(in language: Language = .current) -> [String] {
        let english = "\(message)\(field.map { " (\($0))" } ?? "")"
        return language == .en
            ? ["marquee: \(code.rawValue): \(english)"]
            : ["marquee: \(code.korean) (\(code.rawValue))", "  \(english)"]
    }
}

extension ContractError {
    /// This error in one line: in English the message of the wire, in Korean what the code means.
    func summary(in language: Language = .current) -> String {
        language("\(code.korean) (\(code.rawValue))", "\(code.rawValue): \(message)")
    }
}

extension ContractError.Code {
    /// What the code means, in Korean.
    fileprivate var korean: String {
        switch self {
        case .badRequest: "잘못된 요청입니다"
        case .dateOutOfRange: "조회할 수 없는 날짜입니다"
        case .conflict: "같은 ID로 다른 내용의 요청이 이미 접수되었습니다"
        case .notPublished: "아직 집계되지 않았습니다"
        case .notFound: "찾을 수 없습니다"
        case .unauthorized: "API 인증키가 없거나 올바르지 않습니다"
        case .forbidden: "권한이 없습니다"
        case .quotaExhausted: "오늘 호출 한도를 모두 사용했습니다"
        case .upstreamUnavailable: "제공 서비스에 연결할 수 없거나 서비스에 오류가 있습니다"
        case .upstreamTimeout: "제공 서비스의 응답 시간이 초과되었습니다"
        case .maintenance: "제공 서비스가 점검 중입니다"
        case .upstreamInvalid: "제공 서비스의 응답을 해석할 수 없습니다"
        case .uncertain: "처리 결과를 확인하지 못했습니다"
        case .overloaded: "요청이 너무 많습니다"
        case .internal: "내부 오류가 발생했습니다"
        }
    }
}

extension UpstreamError {
    /// Why the service at a URL gave no answer.
    func text(of url: String, in language: Language = .current) -> String {
        language("\(kind.korean): \(url)", message)
    }
}

extension UpstreamError.Kind {
    /// What the kind means, in Korean.
    fileprivate var korean: String {
        switch self {
        case .badRequest: "잘못된 요청"
        case .notPublished: "아직 집계되지 않음"
        case .notFound: "찾을 수 없음"
        case .unauthorized: "인증 실패"
        case .forbidden: "권한 없음"
        case .quotaExhausted: "호출 한도 초과"
        case .unavailable: "연결할 수 없거나 오류 응답"
        case .timeout: "응답 시간 초과"
        case .maintenance: "점검 중"
        case .invalid: "해석할 수 없는 응답"
        case .cancelled: "취소됨"
        case .internal: "내부 오류"
        }
    }
}

extension ResponseTimeoutError {
    /// The address, and what to check.
    func text(in language: Language = .current) -> String {
        language("\(address)에서 응답이 없습니다. 프로세스가 실행 중인지, 주소가 맞는지 확인하세요", description)
    }
}

extension DataFolder.DataFolderError {
    /// The path, the system's reason, and what to do.
    func text(in language: Language = .current) -> String {
        language("\(path): 쓸 수 없는 폴더나 파일입니다(\(reason)). 쓸 수 있는 폴더를 MARQUEE_DATA에 지정하세요", description)
    }
}

extension DatabaseError {
    /// The file, the reason, and what to do. In Korean the reason is that of the kind, because SQLite's own is in English.
    func text(in language: Language = .current) -> String {
        guard let (reason, advice) = kind.korean else { return description }
        return language("\(path): \(reason)\(code.map { "(코드 \($0))" } ?? ""). \(advice)", description)
    }
}

extension DatabaseError.Kind {
    /// What the kind means and what to do about it, in Korean; nil if only the English description says more.
    fileprivate var korean: (reason: String, advice: String)? {
        switch self {
        case .cannotOpen: ("파일을 열 수 없습니다", "폴더가 있는지, 이 사용자에게 읽기·쓰기 권한이 있는지 확인하세요")
        case .inUse: ("다른 프로세스가 쓰고 있습니다", "그 프로세스를 종료하거나 다른 폴더를 사용하세요")
        case .readOnly: ("파일이나 폴더에 쓸 수 없습니다", "쓰기 권한을 주거나, -wal 파일과 함께 쓸 수 있는 폴더로 복사하세요")
        case .full: ("디스크 공간이 부족합니다", "디스크 공간을 확보하세요")
        case .busy: ("다른 프로그램이 파일을 잠그고 있습니다", "그 프로그램을 종료하거나 기다리세요")
        case .notADatabase, .foreign: ("marquee의 데이터베이스가 아닙니다", "파일을 옮기거나 다른 폴더를 사용하세요")
        case .newerSchema: ("더 새로운 버전에서 만든 파일입니다", "새 버전을 실행하거나 업데이트 전의 백업을 복원하세요")
        case .olderSchema: ("이전 버전에서 만든 파일입니다", "이 파일을 쓰는 프로세스를 한 번 실행하면 업데이트됩니다")
        case .exists: ("파일이 이미 있습니다", "다른 이름을 지정하세요")
        case .corrupt, .constraint, .disk, .closed, .other: nil
        }
    }
}
