import Synchronization

/// Emoji of several characters that a terminal may draw as one glyph of two columns: families, skin
/// tones, symbols with emoji presentation (interface.md, "Widths").
///
/// This is a property of the process's only terminal, and every width depends on it.
package enum WideGlyphs {
  private static let isOn = Atomic<Bool>(false)

  /// Indicates whether each is drawn as one glyph; otherwise as the parts that every terminal draws
  /// alike.
  package static var areDrawn: Bool {
    get { isOn.load(ordering: .relaxed) }
    set { isOn.store(newValue, ordering: .relaxed) }
  }

  /// A limit above the number of scalars of any such emoji (a family of four with skin tones has
  /// 11).
  private static let limit = 16

  /// Returns whether a cluster is such an emoji and nothing else.
  package static func isOne(_ cluster: Character) -> Bool {
    var hasJoin = false
    var count = 0
    var last: Unicode.Scalar = " "
    for scalar in cluster.unicodeScalars {
      switch scalar.value {
      case 0xFE0F, 0x1F3FB...0x1F3FF, 0x20E3, 0xE0020...0xE007F:
        guard count > 0 else { return false }
        hasJoin = true
      case 0x200D: hasJoin = true
      default: guard scalar.properties.isEmoji else { return false }
      }
      (last, count) = (scalar, count + 1)
    }
    guard hasJoin, count <= limit, last.value != 0x200D, let first = cluster.unicodeScalars.first
    else { return false }
    // A digit is an emoji only as a keycap.
    return first.value != 0x200D && (first.value > 0x7F || last.value == 0x20E3)
  }
}
