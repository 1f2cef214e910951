import XMPP

extension NatterError {
  /// The error to show when a request to a server failed.
  package init(answering error: any Error) {
    switch error {
    case let error as StanzaError where error == .answerTooLarge:
      self.init(.refused, "error.answerTooLarge")
    case let error as StanzaError:
      // One text for each condition of RFC 6120, followed by the text of the responder.
      self.init(.refused, "stanza.\(error.condition.rawValue)", error.arguments)
    case ChannelError.timedOut: self.init(.unexpected, "error.noAnswer")
    case let error as NatterError: self = error
    case let error as any NatterErrorConvertible: self = error.natterError
    default: self.init(.offline, "error.offline")
    }
  }
}

extension StanzaError {
  /// The responder's text and address, as arguments for `{text:said}`; an empty address where it is
  /// uncertain.
  package var arguments: [String: String] {
    guard let text, !text.isEmpty else { return ["text": ""] }
    if isDoubtful { return ["text": text, "speaker": ""] }
    return ["text": text].merging(speaker.map { ["speaker": $0.description] } ?? [:]) { $1 }
  }
}

extension ChannelHolding {
  /// Returns the channel.
  /// - Throws: `NatterError` without a session.
  package func openChannel() throws -> any StanzaChannel {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    return channel
  }
}
