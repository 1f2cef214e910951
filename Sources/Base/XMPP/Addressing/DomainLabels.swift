import Sockets

/// Converts internationalised labels of a domain to the canonical form in which they are compared,
/// shown and sent (RFC 7622 §3.2.1, RFC 5890 §2.3.2).
///
/// That is the U-label. A label that is invalid by IDNA's rules, or that looks like another one, is
/// kept as its A-label (`xn--`), however it was written: its Unicode form would be misleading or
/// unreadable.
enum DomainLabels {
  static let prefix = "xn--"

  /// Returns the canonical form of `domain`.
  /// - Parameter domain: In lower case and composed, with full stops between the labels.
  /// - Throws: `.forbiddenInDomain` for a label that has neither form.
  static func canonical(_ domain: String) throws(JIDError) -> String {
    // Split by scalars: a mark after a dot, or a letter such as U+0D4E before it, forms a single
    // `Character` with it.
    let parts = domain.unicodeScalars.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "." })
    var labels = parts.map { part -> String in decoded(Substring(part)) ?? String(part) }
    // Under a top-level domain in its own script, whole names look like Latin ones without any harm
    // intended.
    let isForeign = labels.last.map { !isASCII($0) } ?? false
    for (index, label) in labels.enumerated() where !isASCII(label) {
      if isPermitted(label), !isMisleading(label, isForeign: isForeign) { continue }
      guard let ascii = DomainName.ascii(label) else { throw .forbiddenInDomain }
      labels[index] = ascii
    }
    return labels.joined(separator: ".")
  }

  /// Returns the text that an A-label encodes; `nil` when it is not an A-label, or not in its
  /// canonical encoding.
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
    // Anything else would be a second spelling of another label.
    guard JIDPreparation.folded(decoded[...]).utf8.elementsEqual(decoded.utf8),
      Punycode.encoded(values).map({ prefix + $0 }) == String(label)
    else { return nil }
    return decoded
  }

  private static func isASCII(_ label: String) -> Bool { label.utf8.allSatisfy { $0 < 0x80 } }

  /// Returns whether IDNA permits the label: letters, marks, digits and inner hyphens (RFC 5892 §2,
  /// without the rules for single characters).
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

  /// Returns whether a label mixes scripts that look alike, or looks like an ASCII label as a
  /// whole.
  private static func isMisleading(_ label: String, isForeign: Bool) -> Bool {
    if lookalikes.mixesScripts(label) { return true }
    guard !isForeign else { return false }
    let skeleton = lookalikes.skeleton(of: label)
    // The Danish æ and the French œ, whose skeletons are two letters, are not misleading.
    return isASCII(skeleton)
      && !label.unicodeScalars.contains { $0 == "\u{E6}" || $0 == "\u{153}" }
  }

  private static let lookalikes = Lookalikes()
}
