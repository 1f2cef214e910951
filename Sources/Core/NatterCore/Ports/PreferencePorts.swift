/// Stores the state of an account's screens across restarts that is not a setting: the order and
/// the width of the list.
package protocol PreferenceStoring: Sendable {
  /// Returns all stored values, by key.
  func values() async throws -> [String: String]
  /// Stores a value; `nil` removes it.
  func setValue(_ value: String?, for key: String) async throws
}
