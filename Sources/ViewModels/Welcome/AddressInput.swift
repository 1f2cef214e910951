import XMPP

/// What somebody typed where an address is asked for, read leniently.
nonisolated package enum AddressInput: Hashable, Sendable {
  case empty
  /// No `@` yet.
  case missingSign
  /// Nothing before the `@`.
  case missingName
  /// Nothing after the `@`.
  case missingServer
  /// A blank in the middle.
  case blankInside
  /// A typed command, which belongs into a conversation.
  case command
  /// A character that no address may have.
  case invalid
  /// A bare address.
  case address(JID)

  /// Accepts what `JID.parse(userInput:)` does: `xmpp:` before the address, capitals, blanks around it, a full-width `＠`;
  /// a resource behind it is left out.
  package init(_ typed: String) {
    var text = typed[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    if text.first == "/" || text.first == "／" {
      self = .command
      return
    }
    // While a resource is being typed there is a moment when it is empty.
    if text.last == "/" { text.removeLast() }
    do {
      let jid = try JID.parse(userInput: String(text))
      self = jid.local == nil ? .missingSign : .address(jid.bare)
    } catch {
      switch error {
      case .empty: self = .empty
      case .emptyLocal: self = .missingName
      case .emptyDomain: self = .missingServer
      default: self = text.contains(where: \.isWhitespace) ? .blankInside : .invalid
      }
    }
  }

  package var jid: JID? { if case .address(let jid) = self { jid } else { nil } }

  /// What is still missing, or whom the address will be sent to, as a line under the field.
  package func hint(_ localizer: Localizer) -> String {
    switch self {
    case .empty: localizer("address.empty")
    case .missingSign: localizer("address.missingSign")
    case .missingName: localizer("address.missingName")
    case .missingServer: localizer("address.missingServer")
    case .blankInside: localizer("address.blankInside")
    case .command: localizer("address.command")
    case .invalid: localizer("address.invalid")
    case .address(let jid): localizer("address.contacts", ["host": jid.domain])
    }
  }
}
