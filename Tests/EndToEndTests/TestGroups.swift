import Testing

// Tests that start processes run in lanes, each one test after the other: a machine has few cores, and a test's time is
// for its own processes. `SilentUpstreamTests` has none, because it does nothing but wait.

/// What is sent, and how it is taken.
@Suite(.serialized) enum WireProtocol {}

/// What is published.
@Suite(.serialized) enum PublishedEvents {}

/// What goes wrong.
@Suite(.serialized) enum Failures {}

/// What people type.
@Suite(.serialized) enum Terminal {}
