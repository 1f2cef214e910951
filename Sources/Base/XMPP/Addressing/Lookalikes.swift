/// Detects different addresses that look the same (XEP-0165).
package struct Lookalikes: Sendable {
  private let plain: [Unicode.Scalar: String]

  package init() {
    var plain: [Unicode.Scalar: String] = [:]
    for (text, others) in LookalikeTable.rows {
      for code in others { plain[Unicode.Scalar(code) ?? "\u{FFFD}"] = text }
    }
    self.plain = plain
  }

  /// Returns the visual skeleton of an address (UTS #39 §4), which is equal for all addresses that
  /// look alike.
  package func skeleton(of jid: JID) -> String { skeleton(of: jid.bare.description) }

  /// Returns the visual skeleton of any text.
  func skeleton(of text: String) -> String {
    var skeleton = ""
    for scalar in text.unicodeScalars {
      if let plain = plain[scalar] {
        skeleton += plain
      } else if !scalar.properties.isDefaultIgnorableCodePoint {
        skeleton.unicodeScalars.append(scalar)
      }
    }
    return skeleton
  }

  /// Returns the plain letters that `scalar` looks like; `nil` when there are none.
  func plainText(of scalar: Unicode.Scalar) -> String? { plain[scalar] }

  /// Returns those of `others` that look like `jid` but differ from it.
  package func lookalikes(of jid: JID, among others: some Sequence<JID>) -> [JID] {
    let wanted = skeleton(of: jid)
    return others.filter { $0.bare != jid.bare && skeleton(of: $0) == wanted }
  }

  /// Returns whether a word of the address mixes letters of scripts that look alike, which does not
  /// happen in normal text.
  package func mixesScripts(_ jid: JID) -> Bool { mixesScripts(jid.bare.description) }

  /// Returns whether a word of any text does so.
  func mixesScripts(_ text: String) -> Bool {
    let words = text.unicodeScalars.split { !$0.properties.isAlphabetic }
    return words.contains { word in Set(word.compactMap { Script($0) }).count > 1 }
  }

  /// The scripts with letters that look like another script's.
  private enum Script {
    case latin, greek, cyrillic, armenian, cherokee

    init?(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x41...0x24F, 0x1E00...0x1EFF: self = .latin
      case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
      case 0x400...0x52F: self = .cyrillic
      case 0x530...0x58F: self = .armenian
      case 0x13A0...0x13FF, 0xAB70...0xABBF: self = .cherokee
      default: return nil
      }
    }
  }
}
