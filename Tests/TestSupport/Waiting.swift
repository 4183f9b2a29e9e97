/// Waits until `condition` holds; the time limit of the test is the deadline.
public func waitUntil(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}
