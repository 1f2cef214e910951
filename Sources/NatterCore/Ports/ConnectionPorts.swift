/// The person's hand on the connection (FLOWS.md 2).
package protocol ConnectionControlling: Sendable {
  func state() async -> ConnectionState
  /// Ends the wait and tries at once.
  func connectNow() async
  /// Closes the connection and stays offline until `connectNow`.
  func goOffline() async
}
