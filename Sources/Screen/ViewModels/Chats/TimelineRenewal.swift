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
    var around = timeline.hasLoaded ? position : nil
    timeline.load { [weak timeline, visit = timeline.visit] archive, jid in
      while true {
        let page = try await Self.page(around: around, in: jid, of: archive)
        guard let timeline, timeline.visit == visit else { return page }
        let renewal = TimelineRenewal(timeline: timeline)
        // The user may have scrolled on while it was read, to where it does not reach.
        if renewal.isWithin(page, around: around) { return page }
        around = renewal.position
      }
    } apply: {
      if let around {
        $0.replace(with: $1, around: around, announced: $2)
      } else {
        $0.replace(withLatest: $1, announced: $2)
      }
    }
  }

  /// The position of the message at the top; `nil` at the end.
  private var position: MessagePosition? {
    timeline.anchor.flatMap { anchor in
      timeline.window.messages.first { $0.id == anchor.message }?.position
    }
  }

  private static func page(
    around position: MessagePosition?, in conversation: JID, of archive: any TimelineReading
  ) async throws -> [Message] {
    guard let position else {
      return try await archive.latest(TimelineWindow.pageSize, in: conversation)
    }
    return try await archive.messages(around: position, in: conversation)
  }

  /// Returns whether what the user looks at is in a page.
  /// - Parameter around: the position that it was read around; `nil`: it is the last one.
  private func isWithin(_ page: [Message], around: MessagePosition?) -> Bool {
    let position = position
    guard position != around else { return true }
    if let position { return page.contains { $0.id == position.id } }
    return around.map { start in
      page.count { $0.position > start } < TimelineWindow.pageSize
    } ?? true
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
