import XMPP

extension NatterError {
  /// What a person is told when a question to a server failed.
  package init(answering error: any Error) {
    switch error {
    case let error as StanzaError:
      // One text for each of RFC 6120's conditions, with the other side's own words behind it.
      self.init(.refused, "stanza.\(error.condition.rawValue)", error.words)
    case ChannelError.timedOut: self.init(.unexpected, "error.noAnswer")
    case let error as NatterError: self = error
    case let error as any NatterErrorConvertible: self = error.natterError
    default: self.init(.offline, "error.offline")
    }
  }
}

extension StanzaError {
  /// The other side's own words, and whose they are: what a text needs for `{text:said}`.
  package var words: [String: String] {
    guard let text, !text.isEmpty else { return ["text": ""] }
    return ["text": text].merging(speaker.map { ["speaker": $0.description] } ?? [:]) { $1 }
  }
}
