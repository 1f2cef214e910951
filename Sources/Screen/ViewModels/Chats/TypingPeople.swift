import NatterCore
import XMPP

/// The conversations whose peer is typing at the moment, as far as their clients report it.
package final class TypingPeople {
  /// The time without news after which typing counts as over: the client or its user has gone.
  package static let limit = Duration.seconds(60)

  /// Called with the conversation when typing in it begins or stops.
  package var onChange: (JID) -> Void = { _ in }

  private let scheduler: Scheduler
  private var ends: [JID: () -> Void] = [:]

  package init(scheduler: Scheduler) { self.scheduler = scheduler }

  package func isTyping(in conversation: JID) -> Bool { ends[conversation] != nil }

  package func handle(_ event: DomainEvent) {
    switch event {
    case .typingChanged(let conversation, let isTyping):
      isTyping ? begin(conversation) : end(conversation)
    case .messagesStored(let messages):
      // The sender of a message has stopped typing.
      for message in messages where message.direction == .incoming { end(message.conversation) }
    default: break
    }
  }

  private func begin(_ conversation: JID) {
    let isNew = ends[conversation] == nil
    ends[conversation]?()
    ends[conversation] = scheduler.after(Self.limit) { [weak self] in self?.end(conversation) }
    if isNew { onChange(conversation) }
  }

  private func end(_ conversation: JID) {
    guard let cancel = ends.removeValue(forKey: conversation) else { return }
    cancel()
    onChange(conversation)
  }
}
