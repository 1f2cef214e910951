/// Checks repeatedly, for changes without a notification: files, processes, the terminal's mode.
/// - Returns: whether `condition` held before `limit`, which is longer on a slow machine.
package func polls(
  upTo limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
  until condition: () throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + limit.withPatience
  while ContinuousClock.now < end {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(20))
  }
  return try condition()
}
