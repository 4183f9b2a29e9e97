import Glibc
public import Text

/// The reason why a server did not start.
public enum HTTPServerError: BilingualError, Hashable {
    /// The text is not a numeric address and port, such as `127.0.0.1:8590`, `0.0.0.0:80` or `[::1]:0`.
    case invalidAddress(String)
    /// The system rejected the address; `errno` is the reason.
    case cannotListen(address: String, errno: Int32)
    /// The address is bound, but the server's thread did not start (`MHD_start_daemon`).
    case cannotStart(address: String)

    /// Whether another process uses the address.
    public var isAddressInUse: Bool {
        if case .cannotListen(_, EADDRINUSE) = self { true } else { false }
    }
}

extension HTTPServerError {
    /// A one-line message for the operator.
    public var text: BilingualText {
        switch self {
        case .invalidAddress(let address):
            return BilingualText(
                "'\(address)' 주소를 열 수 없습니다. IP 주소와 포트를 지정하세요. 예: 127.0.0.1:8590, [::1]:8590",
                "cannot listen on '\(address)': not an IP address and a port, such as 127.0.0.1:8590 or [::1]:8590")
        case .cannotListen(let address, let errno):
            let reason = BilingualText(errno: errno)
            return BilingualText(
                "\(address) 주소를 열 수 없습니다(\(reason.text(in: .ko))). "
                    + (isAddressInUse ? "사용 중인 프로그램을 종료하거나 다른 주소를 지정하세요" : "다른 주소를 지정하세요"),
                "cannot listen on \(address): \(reason)")
        case .cannotStart(let address):
            return BilingualText(
                "\(address) 주소를 열 수 없습니다. 시스템의 프로세스 수 제한을 확인하세요",
                "cannot listen on \(address): the HTTP server's thread did not start")
        }
    }
}
