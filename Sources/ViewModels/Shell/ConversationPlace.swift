import NatterCore
import XMPP

/// A place on the screen for one conversation: its header, its messages, its input. There are two on a split screen.
package final class ConversationPlace {
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

/// How two conversations share the screen.
nonisolated package enum ConversationSplit: String, Hashable, Sendable, CaseIterable {
  case beside, stacked
}

extension TimelineViewModel {
  /// Knows of people, rooms and files what another one knows.
  func learn(from other: TimelineViewModel) {
    (people, incidents, transfers, today) = (
      other.people, other.incidents, other.transfers, other.today
    )
  }
}
