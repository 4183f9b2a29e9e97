/// A pointer to something of MHD's: the daemon, or a connection.
///
/// `@unchecked Sendable` is sound because every MHD function that is called with one off MHD's own thread is made for
/// it: `MHD_resume_connection` and `MHD_stop_daemon` take MHD's locks. What the pointer points to outlives its use: a
/// suspended connection is never freed before it is resumed, which `PendingRequest` does once, and the daemon is stopped once,
/// when nothing is suspended any more and nothing can be.
struct MHDPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
