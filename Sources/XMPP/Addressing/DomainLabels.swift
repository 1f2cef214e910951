import Sockets

/// Brings internationalised labels of a domain into the one form that they are compared, shown and sent in (RFC 7622 §3.2.1,
/// RFC 5890 §2.3.2).
///
/// That is the U-label. A label that is none by IDNA's rules, or that can be taken for another one, is in its A-label form
/// (`xn--`), however it was written: what it would show is a lie, or nothing that can be read.
enum DomainLabels {
  static let prefix = "xn--"

  /// - Parameter domain: in lower case and composed, with full stops between the labels.
  /// - Throws: `.forbiddenInDomain` for a label that has neither form.
  static func canonical(_ domain: String) throws(JIDError) -> String {
    // By scalars: a mark behind a dot, or a letter such as U+0D4E before it, makes one character with it.
    let parts = domain.unicodeScalars.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "." })
    var labels = parts.map { part -> String in decoded(Substring(part)) ?? String(part) }
    // In a country's own script whole names look like Latin ones without any harm meant.
    let isForeign = labels.last.map { !isASCII($0) } ?? false
    for (index, label) in labels.enumerated() where !isASCII(label) {
      if isPermitted(label), !isMisleading(label, isForeign: isForeign) { continue }
      guard let ascii = DomainName.ascii(label) else { throw .forbiddenInDomain }
      labels[index] = ascii
    }
    return labels.joined(separator: ".")
  }

  /// The text that an A-label stands for; `nil` when it is none, or would not be written like this.
  private static func decoded(_ label: Substring) -> String? {
    guard label.hasPrefix(prefix),
      let values = Punycode.decoded(label.dropFirst(prefix.count)),
      values.contains(where: { $0 >= 0x80 })
    else { return nil }
    var text = String.UnicodeScalarView()
    for value in values {
      guard let scalar = Unicode.Scalar(value) else { return nil }
      text.append(scalar)
    }
    let decoded = String(text)
    // Anything else would be a second way to write another label.
    guard JIDPreparation.folded(decoded[...]).utf8.elementsEqual(decoded.utf8),
      Punycode.encoded(values).map({ prefix + $0 }) == String(label)
    else { return nil }
    return decoded
  }

  private static func isASCII(_ label: String) -> Bool { label.utf8.allSatisfy { $0 < 0x80 } }

  /// Whether IDNA lets it be a label: letters, marks, digits and hyphens inside (RFC 5892 §2, without the rules for single
  /// characters).
  private static func isPermitted(_ label: String) -> Bool {
    let scalars = label.unicodeScalars
    guard let first = scalars.first, !isMark(first), first != "-", scalars.last != "-",
      !label.dropFirst(2).hasPrefix("--")
    else { return false }
    return scalars.allSatisfy { scalar in
      if scalar.value < 0x80 {
        return scalar == "-" || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
      }
      switch scalar.properties.generalCategory {
      case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
        .decimalNumber:
        return true
      default: return false
      }
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Whether a label mixes scripts that look alike, or looks like one in ASCII throughout.
  private static func isMisleading(_ label: String, isForeign: Bool) -> Bool {
    if lookalikes.mixesScripts(label) { return true }
    guard !isForeign else { return false }
    let skeleton = lookalikes.skeleton(of: label)
    // Danish and French letters that stand for two are not taken for others.
    return isASCII(skeleton)
      && !label.unicodeScalars.contains { $0 == "\u{E6}" || $0 == "\u{153}" }
  }

  private static let lookalikes = Lookalikes()
}
