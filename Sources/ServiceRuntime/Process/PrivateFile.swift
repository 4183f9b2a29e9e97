import Glibc
public import Text

/// The check that a file with a secret key can be read by its owner only, as ssh(1) checks its keys.
public enum PrivateFile {
    /// Returns why a file must not be used, and what to do; nil if it may be used, or does not exist.
    ///
    /// Rights of the group count only if the file belongs to the user of this process. A service manager may lend the
    /// file of another owner to one group (`root:marquee`, mode 0440); rights of all others count always.
    public static func problem(of path: String) -> BilingualText? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let refused: mode_t = status.st_uid == geteuid() ? 0o077 : 0o007
        guard status.st_mode & refused != 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        return BilingualText(
            "\(path): 다른 사용자가 읽을 수 있는 비밀 키 파일입니다(권한 \(mode)). `chmod 600 \(path)` 명령을 실행하세요",
            "\(path) holds a secret key and other users can read it (mode \(mode)): run `chmod 600 \(path)`")
    }
}
