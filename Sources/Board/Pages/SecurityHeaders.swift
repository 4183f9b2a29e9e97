import WebServer

extension WebResponse {
    /// The answer with what tells a browser to trust nothing but the board itself.
    ///
    /// No script or style stands in a page or comes from elsewhere, no other site may show the board in a frame, and no
    /// address of the board's goes to others. Pictures that the page draws itself for saving are `blob:`.
    func secured() -> WebResponse {
        var response = self
        response.headers += [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
                    + "manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; "
                    + "require-trusted-types-for 'script'; trusted-types 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ]
        return response
    }
}
