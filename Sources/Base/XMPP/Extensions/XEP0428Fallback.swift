import BoundedText
import XML

/// The parts of a text that are meant for clients without support for a feature (XEP-0428).
package enum XEP0428Fallback {
  package static let namespace = "urn:xmpp:fallback:0"

  /// Returns the element that marks a part of the text, in code points, as the fallback for
  /// `purpose` (§3).
  package static func element(for purpose: String, _ range: Range<Int>) -> Element {
    Element(
      "fallback", namespace, ["for": purpose],
      [
        Element(
          "body", namespace, ["start": String(range.lowerBound), "end": String(range.upperBound)])
      ])
  }
}

extension MessageStanza {
  /// Returns the text without the fallback for `purpose`, and that fallback; `nil` when no part is
  /// marked as such.
  ///
  /// A part without a start or an end extends to that of the text; a part outside the text is
  /// ignored.
  package func body(withoutFallbackFor purpose: String) -> (kept: String, dropped: String)? {
    let parts = element.all("fallback", XEP0428Fallback.namespace)
      .filter { $0["for"] == purpose }
      .flatMap { $0.all("body", XEP0428Fallback.namespace) }
    // The text is made and taken apart only where it has a fallback.
    guard !parts.isEmpty, let body else { return nil }
    let scalars = Array(body.unicodeScalars)
    let marked =
      parts.compactMap { part -> Range<Int>? in
        guard let start = part["start"].map({ Int($0) }) ?? 0,
          let end = part["end"].map({ Int($0) }) ?? scalars.count,
          0 <= start, start <= end, end <= scalars.count
        else { return nil }
        return start..<end
      }
    guard !marked.isEmpty else { return nil }
    // The number of parts that begin at an index, minus those that end there: a stanza may have
    // thousands of parts, so each scalar must not be compared with all of them.
    var changes = [Int](repeating: 0, count: scalars.count + 1)
    for part in marked {
      changes[part.lowerBound] += 1
      changes[part.upperBound] -= 1
    }
    var open = 0
    var (kept, dropped) = (String.UnicodeScalarView(), String.UnicodeScalarView())
    for (index, scalar) in scalars.enumerated() {
      open += changes[index]
      if open > 0 {
        dropped.append(scalar)
      } else {
        kept.append(scalar)
      }
    }
    return (String(kept).bounded, String(dropped).bounded)
  }
}
