import NatterCore
import XMPP

/// A view of one conversation: header, messages and input. A split screen has two.
package final class ConversationViewModel {
  package let header: HeaderViewModel
  package let timeline: TimelineViewModel
  package let input: InputViewModel
  let typing: TypingReporter

  init(
    header: HeaderViewModel, timeline: TimelineViewModel, input: InputViewModel,
    typing: TypingReporter
  ) {
    self.header = header
    self.timeline = timeline
    self.input = input
    self.typing = typing
    typing.thread = { [weak input] in input?.memory.aims[$0]?.thread ?? .ofConversation }
  }

  /// The conversation that is shown here.
  package var conversation: JID? { timeline.conversation }

  func show(_ conversation: Conversation?) {
    header.conversation = conversation?.jid
    input.show(conversation)
    timeline.show(conversation)
    typing.show(conversation?.jid)
  }

  func handle(_ event: DomainEvent) {
    header.handle(event)
    timeline.handle(event)
  }
}

/// The arrangement of two conversations on the screen.
nonisolated package enum ConversationSplit: String, Hashable, Sendable, CaseIterable {
  case beside, stacked
}

/// Two conversations on the screen, as they are found again at the next start.
nonisolated package struct SavedSplit: Hashable, Sendable {
  package let form: ConversationSplit
  /// The conversation at the left or above, and the one in the other half; `nil`: none.
  package let conversations: [JID?]
  /// The index of the one that has the keys, 0 or 1.
  package let current: Int

  init(form: ConversationSplit, conversations: [JID?], current: Int) {
    (self.form, self.conversations, self.current) = (form, conversations, current)
  }

  /// Reads what `text` was; `nil` for anything else.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 4, let form = ConversationSplit(rawValue: String(lines[0])),
      let current = Int(lines[1]), (0...1).contains(current)
    else { return nil }
    self.init(
      form: form, conversations: lines[2...].map { JID(parsing: String($0)) }, current: current)
  }

  /// The form, the half with the keys and the two addresses, a line each.
  var text: String {
    ([form.rawValue, "\(current)"] + conversations.map { $0?.description ?? "" })
      .joined(separator: "\n")
  }
}

extension TimelineViewModel {
  /// Knows of people, rooms and files what another one knows.
  func learn(from other: TimelineViewModel) {
    (people, incidents, transfers, today) = (
      other.people, other.incidents, other.transfers, other.today
    )
  }
}
