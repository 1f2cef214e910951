/// An error in the form that the user sees: a kind, a key of the language files, and whether a
/// retry helps.
package struct NatterError: Error, Hashable, Sendable {
  /// The category of an error, which determines how callers react.
  package enum Category: Hashable, Sendable {
    case offline, notAuthorized, refused, invalidInput, storage, unexpected
  }
  /// The benefit of a retry: none, automatic, or on request of the user.
  package enum Retry: Hashable, Sendable { case never, automatic, byUser }

  /// The key of a refused request to this machine or a private network, which only the user can
  /// permit.
  package static let privateNetwork = "error.http.privateNetwork"

  package let kind: Category
  /// A key of `Resources/locales`.
  package let key: String
  /// Values for the text's `{name}` placeholders.
  package let arguments: [String: String]
  package let retry: Retry
  /// The delay before the next attempt that the other side asks for; `nil`: not specified.
  package let pause: Duration?

  package init(
    _ kind: Category, _ key: String, _ arguments: [String: String] = [:], retry: Retry = .byUser,
    pause: Duration? = nil
  ) {
    self.kind = kind
    self.key = key
    self.arguments = arguments
    self.retry = retry
    self.pause = pause
  }

  /// The error as a notice for the status line.
  package var notice: StatusNotice { StatusNotice(.error, key, arguments) }
}
