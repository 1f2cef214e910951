/// Escaped characters in local parts (XEP-0106): those that an address cannot have, as `\20` for a blank.
package enum XEP0106 {
  /// The characters by the two digits behind the backslash (§4.2).
  private static let characters: [Substring: Character] = [
    "20": " ", "22": "\"", "26": "&", "27": "'", "2f": "/", "3a": ":", "3c": "<", "3e": ">",
    "40": "@", "5c": "\\",
  ]

  /// A local part as it is shown. It is never sent or compared like this (§4.4).
  package static func unescaped(_ local: String) -> String {
    guard local.utf8.contains(UInt8(ascii: "\\")) else { return local }
    var shown = ""
    var rest = local[...]
    while let character = rest.popFirst() {
      // No name begins or ends with a blank (§4.1).
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
}

extension JID {
  /// The address for people to read, its escapes replaced (XEP-0106). What is sent, stored and compared is `description`.
  package var shown: String {
    guard let local, local.utf8.contains(UInt8(ascii: "\\")) else { return description }
    let plain = XEP0106.unescaped(local)
    // All before a slash would read as somebody else's address.
    guard !plain.utf8.contains(UInt8(ascii: "/")) else { return description }
    return plain + String(decoding: description.utf8.dropFirst(local.utf8.count), as: UTF8.self)
  }

  /// The local part for people to read.
  package var shownLocal: String? { local.map(XEP0106.unescaped) }
}
