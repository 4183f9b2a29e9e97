/// Pages that a service shows where a program expects something else.
enum MaintenancePage {
    /// What stands in for an API during maintenance.
    static let maintenance = page("시스템 점검 안내", "보다 나은 서비스를 위하여 시스템 점검 중입니다.")

    /// What answers for an unknown path.
    static let notFound = page("404", "요청하신 페이지를 찾을 수 없습니다.")

    /// What stands at the address of a picture that was taken down.
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
