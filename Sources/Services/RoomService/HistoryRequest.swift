import FoundationEssentials
import XMPP

extension XEP0045.History {
  /// The history to ask a room for whose archive is not read.
  /// - Parameter newest: the newest message of the room that is known, and whether its time is the
  ///   room's; `nil`: none is known.
  init(after newest: (at: Date, isRoomsTime: Bool)?, now: Date) {
    guard let newest else {
      self = .newest(EntryLimits.firstHistory)
      return
    }
    guard !newest.isRoomsTime else {
      self = .since(
        XEP0082DateTime.text(for: newest.at.addingTimeInterval(-EntryLimits.clockTolerance)))
      return
    }
    // How long ago that was needs no clock but this one, however wrong it is.
    let age = now.timeIntervalSince(newest.at) + EntryLimits.clockTolerance
    self = .seconds(
      Int(min(max(age, EntryLimits.clockTolerance), EntryLimits.longestAge).rounded(.up)))
  }
}
