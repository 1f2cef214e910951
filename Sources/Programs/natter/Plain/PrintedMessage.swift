import FoundationEssentials
import NatterCore
import ViewModels

/// The parts of a message that were printed last, to notice what has changed about it.
struct PrintedMessage {
  var edit: Message.Edit?
  var reactions: [Message.Reaction] = []
  var totals: [Message.ReactionTotal] = []
  var isRetracted = false
  /// The state of a call.
  var call: Message.Call?

  init() {}

  /// - Parameter now: when it was printed.
  init(_ message: Message, at now: Date) {
    (edit, reactions, totals) = (message.edit, message.reactions, message.reactionTotals)
    isRetracted = message.isRetracted
    if case .call(let call) = message.content(at: now) { self.call = call }
  }
}
