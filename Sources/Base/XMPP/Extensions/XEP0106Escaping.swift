import BoundedText

/// Escaped characters in localparts (XEP-0106): those that a JID cannot contain, such as `\20` for
/// a space.
package enum XEP0106 {
  /// The characters by the two digits after the backslash (§4.2).
  private static let characters: [Substring: Character] = [
    "20": " ", "22": "\"", "26": "&", "27": "'", "2f": "/", "3a": ":", "3c": "<", "3e": ">",
    "40": "@", "5c": "\\",
  ]

  /// Returns a localpart for display. It is never sent or compared in this form (§4.4).
  package static func unescaped(_ local: String) -> String {
    guard local.utf8.contains(UInt8(ascii: "\\")) else { return local }
    var shown = ""
    var rest = local[...]
    while let character = rest.popFirst() {
      // A localpart cannot begin or end with an escaped space (§4.1).
      guard character == "\\", let meant = characters[rest.prefix(2)],
        meant != " " || !shown.isEmpty && rest.utf8.count > 2
      else {
        shown.append(character)
        continue
      }
      shown.append(meant)
      rest = rest.dropFirst(2)
    }
    return shown
  }

  /// Returns the localpart that is displayed as `shown` (§4.2). A colon and angle brackets are not
  /// escaped: in what a user types they belong to a link or to an address of e-mail.
  /// - Returns: `nil` where the result would be displayed in another way, or is rather a mistake.
  static func escaped(_ shown: Substring) -> String? {
    guard hasMeantAtSign(shown) else { return nil }
    var local = ""
    for character in shown {
      let isEscaped = !":<>\\".contains(character)
      if isEscaped, let code = characters.first(where: { $0.value == character })?.key {
        local += "\\\(code)"
      } else {
        local.append(character)
      }
    }
    return unescaped(local) == shown ? local : nil
  }

  /// Returns whether an at sign in a typed localpart is meant: gateways have localparts that are
  /// addresses of e-mail. An at sign at an end, and two addresses in a row, are mistakes.
  private static func hasMeantAtSign(_ typed: Substring) -> Bool {
    let at = UInt8(ascii: "@")
    let parts = typed.utf8.split(separator: at, omittingEmptySubsequences: false)
    guard parts.count > 1 else { return true }
    return parts.count == 2 && !parts.contains { $0.isEmpty }
      && !typed.contains { $0.isWhitespace || $0 == "," || $0 == ";" }
  }
}

extension JID {
  /// Reads an address that the user typed: as it is sent, or as `shown` displays it.
  package init?(typed text: String) {
    guard let jid = JID(userInput: text) ?? JID(userInputAsShown: text) else { return nil }
    self = jid
  }

  /// Reads an address that the user entered as `shown` displays it, with characters that a
  /// localpart cannot contain.
  /// - Returns: `nil` when no address is displayed like that, or the text is rather a mistake, such
  ///   as two addresses.
  package init?(userInputAsShown text: String) {
    guard text.utf8.count <= 4 * JIDPreparation.longestAddress else { return nil }
    let typed = JIDPreparation.cleaned(text).bounded
    let end = typed.utf8.firstIndex(of: UInt8(ascii: "/")) ?? typed.endIndex
    guard let at = typed.utf8[..<end].lastIndex(of: UInt8(ascii: "@")),
      let local = XEP0106.escaped(typed[..<at])
    else { return nil }
    self.init(parsing: "\(local)\(typed[at...])")
  }

  /// The JID for display, its escapes replaced (XEP-0106). `description` is the form to send, store
  /// and compare.
  package var shown: String {
    guard let local, local.utf8.contains(UInt8(ascii: "\\")) else { return description }
    let plain = XEP0106.unescaped(local)
    // With a slash in it, the part before the slash would read as another account's JID.
    guard !plain.utf8.contains(UInt8(ascii: "/")) else { return description }
    return plain + String(decoding: description.utf8.dropFirst(local.utf8.count), as: UTF8.self)
  }

  /// The localpart for display.
  package var shownLocal: String? { local.map(XEP0106.unescaped) }
}
