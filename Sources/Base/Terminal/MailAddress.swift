import BoundedText

/// `mailto:` addresses (RFC 6068) in the form that is passed to other programs.
package enum MailAddress {
  /// The header fields that an address may set. Mail programs support others that attach local
  /// files (`attach`, `attachment`), which a stranger's link must not do.
  private static let fields: Set<String> = ["to", "cc", "bcc", "subject", "body", "in-reply-to"]

  /// Returns `link` with only these fields; an address of another scheme is unchanged.
  package static func safe(_ link: String) -> String {
    guard link.prefix(7).lowercased() == "mailto:" else { return link }
    // By scalars, as other programs do: a combining mark forms one character with the delimiter.
    let mark = link.unicodeScalars.firstIndex(of: "?") ?? link.endIndex
    let address = escaped(link[..<mark])
    let parts = link[mark...].unicodeScalars.split { "&;?#".unicodeScalars.contains($0) }
      .map { Substring($0) }
    let kept = parts.filter { part in
      let name = decoded(part.prefix { $0 != "=" }).lowercased()
      return fields.contains(name)
    }
    return address + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  /// Escapes delimiters in the address part. Programs that split there would find fields in it,
  /// where they are escaped (RFC 6068 §2).
  private static func escaped(_ address: Substring) -> String {
    var result = ""
    for scalar in address.unicodeScalars {
      switch scalar {
      case "&": result += "%26"
      case ";": result += "%3B"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns a field's name without percent-encoding (RFC 3986 §2.1).
  private static func decoded(_ text: Substring) -> String {
    String(bounding: PercentDecoding.bytes(of: text))
  }
}
