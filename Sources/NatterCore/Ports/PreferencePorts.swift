/// What an account's screens remember over restarts and what is nobody's setting: the list's order, its width.
package protocol PreferenceStoring: Sendable {
  /// Everything that is kept, by key.
  func values() async throws -> [String: String]
  /// Keeps a value; `nil` takes it out.
  func setValue(_ value: String?, for key: String) async throws
}
