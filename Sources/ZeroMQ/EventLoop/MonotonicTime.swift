extension Duration {
    /// How long the machine has been up, by a clock that nobody sets.
    ///
    /// The I/O thread compares times at each turn. An instant of the standard library is opaque to the compiler, so that to
    /// copy one that may be missing is a call each time; a length is not.
    static var uptime: Duration { ContinuousClock().systemEpoch.duration(to: .now) }
}
