import CCurl

extension Transfer {
    /// Says what is to be handed over, and to whom.
    func setOptions(_ mail: MailRequest) {
        setCommonOptions()
        easy.set(CURLOPT_URL, to: mail.url)
        easy.set(CURLOPT_PROTOCOLS_STR, to: "smtp,smtps")
        // Or nothing: a listener on the way could take the offer out of the server's greeting.
        let security = mail.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        easy.set(CURLOPT_USE_SSL, to: Int(security.rawValue))
        if let authorities = mail.authorities { easy.set(CURLOPT_CAINFO, to: authorities) }
        if let user = mail.user { easy.set(CURLOPT_USERNAME, to: user) }
        if let password = mail.password { easy.set(CURLOPT_PASSWORD, to: password) }
        easy.set(CURLOPT_MAIL_FROM, to: "<\(mail.sender)>")
        easy.set(CURLOPT_MAIL_RCPT, toList: mail.recipients.map { "<\($0)>" })
        // Mails are rare: a kept connection would be one that the server has closed.
        easy.set(CURLOPT_FORBID_REUSE, to: 1)

        easy.set(CURLOPT_UPLOAD, to: 1)
        easy.set(CURLOPT_INFILESIZE_LARGE, toOffset: mail.message.count)
        easy.set(CURLOPT_READFUNCTION, to: provideMessage)
        easy.set(CURLOPT_READDATA, to: Unmanaged.passUnretained(self).toOpaque())
    }
}

/// What libcurl calls for the next piece of the message; see the other callbacks.
private func provideMessage(
    room: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    return Transfer.at(context).provide(UnsafeMutableRawBufferPointer(start: room, count: size * count))
}
