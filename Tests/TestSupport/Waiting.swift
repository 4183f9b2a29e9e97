/// Returns once `condition` holds; the time limit of the test is its deadline.
public func waitUntil(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}
