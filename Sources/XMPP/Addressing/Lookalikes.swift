/// Tells addresses that look the same from those that are (XEP-0165).
package struct Lookalikes: Sendable {
  private let plain: [Unicode.Scalar: String]

  package init() {
    var plain: [Unicode.Scalar: String] = [:]
    for (text, others) in LookalikeTable.rows {
      for code in others { plain[Unicode.Scalar(code) ?? "\u{FFFD}"] = text }
    }
    self.plain = plain
  }

  /// What is left of an address for the eye (UTS #39 §4): the same for all that look like it.
  package func skeleton(of jid: JID) -> String { skeleton(of: jid.bare.description) }

  /// The same of any text.
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

  /// The plain letters that `scalar` looks like; `nil`: it looks like none.
  func plainText(of scalar: Unicode.Scalar) -> String? { plain[scalar] }

  /// Those of `others` that `jid` can be taken for, though it is another.
  package func lookalikes(of jid: JID, among others: some Sequence<JID>) -> [JID] {
    let wanted = skeleton(of: jid)
    return others.filter { $0.bare != jid.bare && skeleton(of: $0) == wanted }
  }

  /// Whether letters of scripts that look alike stand side by side in a word of the address, as nobody writes.
  package func mixesScripts(_ jid: JID) -> Bool { mixesScripts(jid.bare.description) }

  /// The same in a word of any text.
  func mixesScripts(_ text: String) -> Bool {
    let words = text.unicodeScalars.split { !$0.properties.isAlphabetic }
    return words.contains { word in Set(word.compactMap { Script($0) }).count > 1 }
  }

  /// The scripts whose letters are taken for each other's.
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
