import NatterCore
import Text
import XMPP

nonisolated extension ItemFormat {
  /// Returns the report that a room refuses its history, with the reason.
  /// - Parameter key: the key of the sentence, which has a `{reason}`.
  func text(of refusal: HistoryRefusal, _ key: String) -> String {
    localizer(key, ["reason": reason(of: refusal)])
  }

  /// Returns the reason of a refusal, with what the room says about it.
  func reason(of refusal: HistoryRefusal) -> String {
    let cause =
      switch refusal.cause {
      case .forbidden: localizer("timeline.refusal.forbidden")
      case .absent: localizer("timeline.refusal.absent")
      case .other: localizer("timeline.refusal.else")
      }
    let reason = ErrorText.oneLine(shown(refusal.reason))
    guard !reason.isEmpty else { return cause }
    let reported =
      refusal.speaker.map { localizer.said(reason, by: $0.description) } ?? "\"\(reason)\""
    return "\(cause): \(reported)"
  }
}
