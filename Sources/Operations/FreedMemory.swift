import CLibc

/// What becomes of memory that is freed (`mallopt`).
public enum FreedMemory {
    /// Keeps some of it at hand for what comes next, from now on.
    ///
    /// A page of the log is a megabyte or two, made on one thread and freed on another, over and over: by default each was
    /// given back to the kernel and asked for again, which was a fifth of what a replay took.
    public static func keep() {
        // Can only fail for a parameter that is not known.
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }
}
