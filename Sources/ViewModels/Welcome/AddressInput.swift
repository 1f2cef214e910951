import XMPP

/// What somebody typed where an address is asked for, read with good will (UX.md 1.2, item 7).
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

  /// Accepts `xmpp:` before the address, capitals, blanks around it, a resource or query behind it, and what a Chinese or
  /// Japanese input method makes of `@`, `.` and `/`.
  /// - Parameter parse: reads an address strictly (RFC 7622 §3).
  package init(_ typed: String, parse: (String) -> JID?) {
    var text = Self.folded(typed)
    if text.isEmpty {
      self = .empty
      return
    }
    if text.hasPrefix("/") {
      self = .command
      return
    }
    if text.lowercased().hasPrefix("xmpp:") { text = String(text.dropFirst(5)) }
    text = String(text.prefix { $0 != "?" && $0 != "/" })
    guard let sign = text.firstIndex(of: "@") else {
      self = text.isEmpty ? .empty : text.contains(where: \.isWhitespace) ? .blankInside : .missingSign
      return
    }
    let name = text[..<sign]
    let server = text[text.index(after: sign)...]
    if text.contains(where: \.isWhitespace) {
      self = .blankInside
    } else if name.isEmpty {
      self = .missingName
    } else if server.isEmpty {
      self = .missingServer
    } else if let jid = parse(text), jid.local != nil {
      self = .address(jid.bare)
    } else {
      self = .invalid
    }
  }

  package var jid: JID? { if case .address(let jid) = self { jid } else { nil } }

  /// What is still missing, or whom the address will be sent to, as a line under the field.
  package func hint(_ localizer: Localizer) -> String {
    switch self {
    case .empty: localizer("address.empty")
    case .missingSign: localizer("address.missing-sign")
    case .missingName: localizer("address.missing-name")
    case .missingServer: localizer("address.missing-server")
    case .blankInside: localizer("address.blank-inside")
    case .command: localizer("address.command")
    case .invalid: localizer("address.invalid")
    case .address(let jid): localizer("address.contacts", ["host": jid.domain])
    }
  }

  /// Full-width forms (U+FF01...U+FF5E) and the ideographic full stop and space as ASCII, without blanks around it.
  private static func folded(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0xFF01...0xFF5E:
        scalars.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
      case 0x3002: scalars.append(".")
      case 0x3000: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    var characters = Substring(String(scalars))
    while characters.first?.isWhitespace == true { characters.removeFirst() }
    while characters.last?.isWhitespace == true { characters.removeLast() }
    return String(characters)
  }
}
