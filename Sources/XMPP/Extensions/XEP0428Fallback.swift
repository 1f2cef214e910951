import BoundedText

/// Parts of a text that stand there for clients which do not know better (XEP-0428).
package enum XEP0428Fallback {
  package static let namespace = "urn:xmpp:fallback:0"

  /// Says that a part of the text, counted in code points, is there in place of what `purpose` names (§3).
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
  /// The text without what is there in place of `purpose`, and what that was; `nil` where nothing is marked so.
  ///
  /// A part without a beginning or end reaches to that of the text; one that is not within the text does not count.
  package func body(withoutFallbackFor purpose: String) -> (kept: String, dropped: String)? {
    guard let body else { return nil }
    let scalars = Array(body.unicodeScalars)
    let marked = element.all("fallback", XEP0428Fallback.namespace).filter { $0["for"] == purpose }
      .flatMap { $0.all("body", XEP0428Fallback.namespace) }
      .compactMap { part -> Range<Int>? in
        guard let start = part["start"].map({ Int($0) }) ?? 0,
          let end = part["end"].map({ Int($0) }) ?? scalars.count,
          0 <= start, start <= end, end <= scalars.count
        else { return nil }
        return start..<end
      }
    guard !marked.isEmpty else { return nil }
    // How many parts begin at a place, less how many end there: a stanza has room for thousands of them.
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
