import NatterCore
import XMPP

/// Reads what is loaded of a conversation again, around the user's position: there may be other
/// messages anywhere among those that are loaded, as after an import.
struct TimelineRenewal {
  let timeline: TimelineViewModel

  func run() {
    // What was cleared comes back when the user scrolls up.
    guard !timeline.window.isPastHidden else { return }
    timeline.window.renew(timeline.visit)
    timeline.giveUpReading()
    let reading = timeline.anchor.flatMap { anchor in
      timeline.window.messages.first { $0.id == anchor.message }?.position
    }
    guard timeline.hasLoaded, let reading else { return timeline.loadLatest() }
    timeline.load { archive, jid in
      try await archive.messages(around: reading, in: jid)
    } apply: {
      $0.replace(with: $1, around: reading, announced: $2)
    }
  }
}

extension TimelineReading {
  /// Returns the message at a position, if it is still stored, with a page after it.
  /// - Parameter older: the highest number of messages before it.
  /// - Throws: what `messages(before:_:in:)` throws.
  func messages(
    around position: MessagePosition, older: Int = TimelineWindow.pageSize, in conversation: JID
  ) async throws -> [Message] {
    let older = try await messages(before: position, older, in: conversation)
    let message = try await storedMessage(position.id).map { [$0] } ?? []
    let newer = try await messages(after: position, TimelineWindow.pageSize, in: conversation)
    return older + message.filter { $0.conversation == conversation } + newer
  }
}
