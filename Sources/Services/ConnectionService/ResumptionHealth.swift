/// The record that decides if the server's session is still worth resuming (XEP-0198 §5).
struct ResumptionHealth: Hashable {
  /// The number of times in a row that a session is resumed after it was cut off at its beginning:
  /// the session itself may be the cause.
  private static let cutLimit = 3

  /// The number of times in a row that the server resumed it and did not receive what was sent in
  /// it.
  private var unheard = 0
  /// The number of times in a row that it was cut off at its beginning.
  private var cuts = 0

  mutating func wasHeard() { unheard = 0 }
  mutating func wasDeaf() { unheard += 1 }
  mutating func wasSettled() { cuts = 0 }
  mutating func wasCutOff() { cuts += 1 }

  /// `true` if the server does not receive what is sent in it. A dead line has the same symptom,
  /// once.
  var isDeaf: Bool { unheard > 1 }
  var isStuck: Bool { cuts > Self.cutLimit }
}
