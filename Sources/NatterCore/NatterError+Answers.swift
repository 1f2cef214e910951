import XMPP

extension NatterError {
  /// What a person is told when a question to a server failed.
  package init(answering error: any Error) {
    switch error {
    case let error as StanzaError:
      // One text for each of RFC 6120's conditions, with the server's own words behind it.
      self.init(.refused, "stanza.\(error.condition.rawValue)", ["text": error.text ?? ""])
    case ChannelError.timedOut: self.init(.unexpected, "error.noAnswer")
    case let error as NatterError: self = error
    case let error as any NatterErrorConvertible: self = error.natterError
    default: self.init(.offline, "error.offline")
    }
  }
}
