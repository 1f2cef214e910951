import Text
import XMPP

/// The input of an address field, parsed leniently.
nonisolated package enum AddressInput: Hashable, Sendable {
  case empty
  /// There is no `@` yet.
  case missingAtSign
  /// There is no name before the `@`.
  case missingName
  /// There is no server after the `@`.
  case missingServer
  /// There is a space in the middle.
  case blankInside
  /// A command, which belongs in a conversation.
  case command
  /// A character that is invalid in addresses.
  case invalid
  /// A bare address.
  case address(JID)

  /// Accepts the same as `JID.parse(userInput:)`: `xmpp:` before the address, capitals, surrounding
  /// spaces, a full-width `＠`; and characters that an address has only escaped (XEP-0106), except
  /// spaces and a second `@`, which are rather a mistake. A resource after it is dropped.
  package init(_ typed: String) {
    var text = typed[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    if text.first == "/" || text.first == "／" {
      self = .command
      return
    }
    // A resource is empty at first, while it is being typed.
    if text.last == "/" { text.removeLast() }
    do {
      let jid = try JID.parse(userInput: String(text))
      self = jid.local == nil ? .missingAtSign : .address(jid.bare)
    } catch {
      switch error {
      case .empty: self = .empty
      case .emptyLocal: self = .missingName
      case .emptyDomain: self = .missingServer
      default:
        if text.contains(where: \.isWhitespace) {
          self = .blankInside
        } else if let jid = JID(userInputAsShown: String(text)),
          jid.shownLocal?.utf8.contains(UInt8(ascii: "@")) != true
        {
          self = .address(jid.bare)
        } else {
          self = .invalid
        }
      }
    }
  }

  package var jid: JID? { if case .address(let jid) = self { jid } else { nil } }

  /// Returns a line under the field: what is missing, or which server the address is sent to.
  package func hint(_ localizer: Localizer) -> String {
    switch self {
    case .empty: localizer("address.empty")
    case .missingAtSign: localizer("address.missingSign")
    case .missingName: localizer("address.missingName")
    case .missingServer: localizer("address.missingServer")
    case .blankInside: localizer("address.blankInside")
    case .command: localizer("address.command")
    case .invalid: localizer("address.invalid")
    case .address(let jid): localizer("address.contacts", ["host": jid.domain])
    }
  }
}
