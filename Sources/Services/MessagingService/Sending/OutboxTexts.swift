import XMPP

/// The sentences that the outbox stores with a message that failed, in the user's language, and the
/// text that it sends to clients that do not know retractions.
package struct OutboxTexts: Sendable {
  /// The error text: the message waited too long.
  let expiry: String
  /// The error text: the user is not in the room of the message.
  let outside: String
  /// The fallback body of a retraction (XEP-0424), read by other people.
  let retraction: String
  /// Returns the error text: the recipient is not in the room any more.
  let absence: @Sendable (_ nick: String) -> String
  /// Returns why a message was refused, as a sentence.
  package let refusal: @Sendable (StanzaError) -> String
  /// Returns the error text: the server ends the connection because of the message.
  package let rejection: @Sendable (StreamError) -> String
  /// Returns the error text: the message has more bytes than the server accepts.
  package let oversize: @Sendable (StanzaLimit) -> String

  /// Creates the texts; the defaults are in English.
  package init(
    expiry: String = "timed out", outside: String = "not in the room",
    retraction: String = "(message deleted)",
    absence: @escaping @Sendable (_ nick: String) -> String = { "\($0) is not in the room" },
    refusal: @escaping @Sendable (StanzaError) -> String = { $0.explanation },
    rejection: @escaping @Sendable (StreamError) -> String = { $0.condition.rawValue },
    oversize: @escaping @Sendable (StanzaLimit) -> String = { "more than \($0.bytes) bytes" }
  ) {
    (self.expiry, self.outside, self.retraction) = (expiry, outside, retraction)
    (self.absence, self.refusal) = (absence, refusal)
    (self.rejection, self.oversize) = (rejection, oversize)
  }
}
