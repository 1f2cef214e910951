import FoundationEssentials

/// The limits of joining rooms (XEP-0045 §7).
enum EntryLimits {
  /// Other nicks that are tried when the user's nick is taken on joining again.
  static let conflictLimit = 3
  /// The time limit of a room's answer, its history and subject: `answerSteps` steps of `patience`.
  static let patience = Duration.seconds(5)
  static let answerSteps = 12
  /// Seconds inside a room after which the room counts as one that keeps the user.
  static let steadiness: TimeInterval = 60
  /// The longest pause before joining a room again that does not keep the user, seconds.
  static let longestPause = 300
  /// Messages of the history that a room is asked for on the first visit, where its archive is not
  /// read.
  static let firstHistory = 20
  /// The largest number of seconds that servers accept.
  static let longestAge: TimeInterval = 1e9
  /// The largest difference that is expected between this clock and a server's, seconds.
  static let clockTolerance: TimeInterval = 300
}
