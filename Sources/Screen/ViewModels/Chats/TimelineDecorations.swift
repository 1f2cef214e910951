import NatterCore
import Text
import XMPP

/// What scripts have for the messages of the open conversation: asked for once they are on the
/// screen, and shown when it is there.
final class TimelineDecorations {
  /// What is known of a message with a text.
  private struct Entry {
    let body: String
    var decoration: MessageDecoration?

    func isOf(_ body: String) -> Bool { self.body.utf8.elementsEqual(body.utf8) }
  }

  /// Above this number of messages, those that are not on the screen are forgotten.
  private static let limit = 1000

  /// `nil`: no scripts run here.
  private let center: ScriptCenter?
  private var entries: [Message.ID: Entry] = [:]
  private var isFollowing = false
  /// The version of the decorations that the entries were asked for.
  private var version = 0

  init(_ center: ScriptCenter?) { self.center = center }

  /// Shows what is known in the items of messages.
  func paint(_ items: inout [TimelineItem], _ format: ItemFormat) {
    guard !entries.isEmpty else { return }
    for index in items.indices {
      guard case .message(let id) = items[index].id, !items[index].isDeleted,
        let entry = entries[id], let decoration = entry.decoration,
        entry.isOf(items[index].body)
      else { continue }
      items[index].spans = decoration.painted(items[index].spans, of: items[index].body)
      items[index].below.notes = decoration.notes.map(format.shown)
    }
  }

  /// The addresses that scripts have put on parts of a message.
  func links(of id: Message.ID) -> [String] {
    entries[id]?.decoration?.spans.compactMap(\.link) ?? []
  }

  /// Takes the items that were drawn: what is not known of them is asked for.
  func see(_ items: ArraySlice<TimelineItem>, in timeline: TimelineViewModel) {
    guard let center, let conversation = timeline.conversation else { return }
    follow(center, for: timeline)
    let kind: Conversation.ConversationKind =
      timeline.people.isRoom(conversation) ? .room : .direct
    guard center.decorates(conversation, kind) else { return forget(in: timeline) }
    // What is shown stays until there is an answer.
    let isNewVersion = version != center.decorationsVersion
    version = center.decorationsVersion
    let texts = items.compactMap(DecorationRequest.Subject.init)
    let ids = Set(texts.map(\.id))
    if isNewVersion || entries.count > Self.limit {
      entries = entries.filter { ids.contains($0.key) }
    }
    let wanted = texts.filter { text in
      isNewVersion || entries[text.id]?.isOf(text.body) != true
    }
    guard !wanted.isEmpty else { return }
    // What was passed over quickly may not have been asked about: it is, when it is shown again.
    entries = entries.filter { $0.value.decoration != nil || ids.contains($0.key) }
    for text in wanted where entries[text.id]?.isOf(text.body) != true {
      entries[text.id] = Entry(body: text.body)
    }
    let known = timeline.window.texts(among: Set(wanted.map(\.id)))
    let request = DecorationRequest(
      wanted.filter { known.contains($0.id) }, in: conversation, kind,
      of: timeline.format.account)
    guard !request.messages.isEmpty else { return }
    timeline.lifetime.aside { [weak self, weak timeline, version] in
      let found = await center.decorations(of: request)
      guard let self, let timeline, take(found, for: request, version) else { return }
      timeline.refresh()
    }
  }

  /// Has what is on the screen asked for again when scripts may have something else.
  private func follow(_ center: ScriptCenter, for timeline: TimelineViewModel) {
    guard !isFollowing else { return }
    isFollowing = true
    center.follow(for: self) { [weak self, weak timeline, weak center] in
      guard let self, let center, version != center.decorationsVersion else { return }
      // Drawing asks.
      timeline?.invalidation.raise()
    }
  }

  /// No script decorates the conversation any more.
  private func forget(in timeline: TimelineViewModel) {
    guard !entries.isEmpty else { return }
    let wasShown = entries.values.contains { $0.decoration?.isEmpty == false }
    entries = [:]
    guard wasShown else { return }
    // Not while it is drawn.
    timeline.lifetime.aside { [weak timeline] in timeline?.refresh() }
  }

  /// - Returns: whether anything is shown differently.
  private func take(
    _ found: [Message.ID: MessageDecoration], for request: DecorationRequest, _ asked: Int
  ) -> Bool {
    var isChanged = false
    // A newer request is under way, or another conversation was opened.
    guard asked == version else { return false }
    for text in request.messages {
      guard let entry = entries[text.id], entry.isOf(text.body) else { continue }
      guard (entry.decoration ?? MessageDecoration()) != (found[text.id] ?? MessageDecoration())
      else { continue }
      entries[text.id]?.decoration = found[text.id]
      isChanged = true
    }
    return isChanged
  }
}

extension DecorationRequest.Subject {
  /// The text of an item as it is shown; `nil` for what is not decorated.
  nonisolated fileprivate init?(_ item: TimelineItem) {
    guard case .message(let id) = item.id, !item.isDeleted, !item.body.isEmpty,
      item.body.utf8.count <= DecorationRequest.bodyLimit
    else { return nil }
    self.init(id, item.body)
  }
}

nonisolated extension TimelineWindow {
  /// Returns those messages that are texts of people, rather than files, locations or something
  /// that Natter describes, and shown whole.
  fileprivate func texts(among ids: Set<Message.ID>) -> Set<Message.ID> {
    Set(
      messages.lazy.filter { message in
        ids.contains(message.id) && message.file == nil && message.location == nil
          && message.content == nil && !message.isRetracted
          && !message.isShortened
      }.map(\.id))
  }
}
