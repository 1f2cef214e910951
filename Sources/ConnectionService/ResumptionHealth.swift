/// Whether it is worth going on with a session that the server has (XEP-0198 §5).
struct ResumptionHealth: Hashable {
  /// How often it is taken up in a row where it was cut off at its beginning: it may be in this very session that one does not
  /// get any further.
  private static let cutLimit = 3

  /// How often in a row the server resumed it and did not hear what was sent in it.
  private var unheard = 0
  /// How often in a row it was cut off at its beginning.
  private var cuts = 0

  mutating func wasHeard() { unheard = 0 }
  mutating func wasDeaf() { unheard += 1 }
  mutating func wasSettled() { cuts = 0 }
  mutating func wasCutOff() { cuts += 1 }

  /// Whether the server does not hear what is sent in it. A line that died says the same, once.
  var isDeaf: Bool { unheard > 1 }
  var isStuck: Bool { cuts > Self.cutLimit }
}
