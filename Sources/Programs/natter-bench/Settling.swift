import TestSupport

/// Waits until a value has been the same for some time.
/// - Parameters:
///   - time: from the first to the last look at the same value.
///   - limit: the longest wait.
/// - Returns: `false`: it never was.
func settles<Value: Equatable>(
  for time: Duration, upTo limit: Duration = .seconds(60), _ value: () -> Value
) async throws -> Bool {
  let clock = ContinuousClock()
  var (last, since) = (value(), clock.now)
  return try await polls(upTo: limit) {
    let now = value()
    if now != last { (last, since) = (now, clock.now) }
    return clock.now - since >= time
  }
}
