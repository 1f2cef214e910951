/// What went wrong, in the form a person is told it: a kind, a key of the language files, and whether trying again helps.
package struct NatterError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case offline, notAuthorized, refused, invalidInput, storage, unexpected
  }
  package enum Retry: Hashable, Sendable { case never, automatic, byUser }

  /// The key of a request that would have gone to this machine or a private network, which only the user can want.
  package static let privateNetwork = "error.http.privateNetwork"

  package let kind: Kind
  /// A key of `Resources/locales`.
  package let key: String
  /// Values for the text's `{name}` placeholders.
  package let arguments: [String: String]
  package let retry: Retry
  /// How long whoever refused wants to be left alone; `nil`: not told.
  package let pause: Duration?

  package init(
    _ kind: Kind, _ key: String, _ arguments: [String: String] = [:], retry: Retry = .byUser,
    pause: Duration? = nil
  ) {
    self.kind = kind
    self.key = key
    self.arguments = arguments
    self.retry = retry
    self.pause = pause
  }

  package var notice: StatusNotice { StatusNotice(.error, key, arguments) }
}
