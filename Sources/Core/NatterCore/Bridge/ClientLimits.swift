/// The limits of what a client of the bridge sends.
package struct ClientLimits: Hashable, Sendable {
  /// How often in a second it may send or change messages, and how often at once after a pause.
  package var rate: Double
  package var burst: Double
  /// The most messages to a conversation in an hour; `nil`: no limit.
  package var perHour: Int?
  /// The most messages to a conversation in an hour without one of another person or program in
  /// between, so that programs do not answer each other for ever; `nil`: no limit.
  package var inARow: Int?

  /// How often in a second it may change contacts, presence and rooms, each of these kinds for
  /// itself, and how often at once after a pause; `nil`: as often as it may ask for anything.
  package var changes: Changes?

  /// A rate of changes.
  package struct Changes: Hashable, Sendable {
    package let rate: Double
    package let burst: Double

    package init(rate: Double, burst: Double) { (self.rate, self.burst) = (rate, burst) }
  }

  package init(
    rate: Double, burst: Double, perHour: Int? = nil, inARow: Int? = nil, changes: Changes? = nil
  ) {
    (self.rate, self.burst) = (rate, burst)
    (self.perHour, self.inARow, self.changes) = (perHour, inARow, changes)
  }

  /// Those of the user's own programs.
  package static let person = ClientLimits(rate: 10, burst: 10)
  /// Those of a script, unless its grant has others.
  package static let script = ClientLimits(
    rate: 1, burst: 5, perHour: 60, inARow: 10, changes: Changes(rate: 0.5, burst: 10))
}
