import CCurl
import FoundationEssentials

/// The only owner of a libcurl easy handle and of the memory that the handle points to.
struct EasyHandle: ~Copyable {
    /// The handle; functions of this folder must not keep it.
    let raw: UnsafeMutableRawPointer
    // The handle writes its errors here until it is cleaned up.
    private let errorText: UnsafeMutablePointer<CChar>
    // The handle reads its headers, and a mail's recipients, from here until it is cleaned up.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    // The handle sends its form from here until it is cleaned up, which `deinit` does before this goes.
    private var form: MultipartBody?

    /// Creates a handle (`curl_easy_init`).
    init() {
        guard let raw = curl_easy_init() else { preconditionFailure("curl_easy_init: out of memory") }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, to: errorText)
    }

    deinit {
        curl_easy_cleanup(raw)
        for list in lists { curl_slist_free_all(list) }
        errorText.deallocate()
    }

    /// Returns libcurl's description of the transfer's failure.
    func explanation(of code: CURLcode) -> String {
        errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
    }

    // Setting an option fails only if the option is unknown or has another type (a bug here), or memory is exhausted.

    func set(_ option: CURLoption, to value: Int) {
        check(marquee_curl_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, toOffset value: Int) {
        check(marquee_curl_set_offset(raw, option, curl_off_t(value)), option)
    }

    func set(_ option: CURLoption, to value: String) {
        check(marquee_curl_set_text(raw, option, value), option)
    }

    func set(_ option: CURLoption, to value: UnsafeRawPointer?) {
        check(marquee_curl_set_pointer(raw, option, value), option)
    }

    func set(_ option: CURLoption, to value: @escaping marquee_curl_sink) {
        check(marquee_curl_set_sink(raw, option, value), option)
    }

    /// Sets an option that is a list of lines, such as the headers.
    mutating func set(_ option: CURLoption, toList texts: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for text in texts {
            guard let longer = curl_slist_append(list, text) else {
                preconditionFailure("curl_slist_append: out of memory")
            }
            list = longer
        }
        if let list { lists.append(list) }
        check(marquee_curl_set_list(raw, option, list), option)
    }

    /// Sets the body; the handle copies it.
    func setBody(_ body: Data) {
        // An empty array has no address, and libcurl reads a null pointer as "the body comes from a callback".
        let bytes = body.isEmpty ? [0] : Array(body)
        set(CURLOPT_POSTFIELDSIZE_LARGE, toOffset: body.count)
        set(CURLOPT_COPYPOSTFIELDS, to: bytes)
    }

    /// Sets the form that is sent instead of a body.
    mutating func setForm(_ parts: [MultipartPart]) {
        let form = MultipartBody(parts, sentBy: raw)
        set(CURLOPT_MIMEPOST, to: UnsafeRawPointer(form.raw))
        self.form = consume form
    }

    /// Sets the callbacks that open sockets and that check the peer's address before each request.
    func setAddressChecks(
        openSocket: @escaping curl_opensocket_callback, beforeRequest: @escaping curl_prereq_callback,
        context: UnsafeMutableRawPointer
    ) {
        check(marquee_curl_set_open_socket(raw, openSocket), CURLOPT_OPENSOCKETFUNCTION)
        set(CURLOPT_OPENSOCKETDATA, to: context)
        check(marquee_curl_set_before_request(raw, beforeRequest), CURLOPT_PREREQFUNCTION)
        set(CURLOPT_PREREQDATA, to: context)
    }

    /// The status of the last HTTP response; for mail, the code of the last reply before the one to QUIT.
    var status: Int {
        var status = 0
        marquee_curl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Whether bytes of an HTTP request were sent, over whichever connection.
    var hasSent: Bool {
        var size = 0
        marquee_curl_get_long(raw, CURLINFO_REQUEST_SIZE, &size)
        return size > 0
    }

    /// The URL to which the last response redirects, unless that is followed.
    var redirect: String? {
        var url: UnsafePointer<CChar>?
        marquee_curl_get_text(raw, CURLINFO_REDIRECT_URL, &url)
        return url.map { String(cString: $0) }
    }

    private func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(code == CURLE_OK, "curl_easy_setopt(\(option.rawValue)): \(code.rawValue)")
    }
}
