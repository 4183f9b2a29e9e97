import TestSupport
import Testing

// Tests that start processes belong to a serialized group: a machine has few cores, and the time limit of a test is meant
// for its own processes. `SilentUpstreamTests` has no group, because it only waits.

/// Requests and answers on the sockets.
@Suite(.serialized, .patience) enum WireProtocol {}

/// Published events.
@Suite(.serialized, .patience) enum PublishedEvents {}

/// Faults, crashes and restarts.
@Suite(.serialized, .patience) enum Failures {}

/// The command line.
@Suite(.serialized, .patience) enum Terminal {}
