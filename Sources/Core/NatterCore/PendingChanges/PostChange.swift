import FoundationEssentials
import XMPP

/// A pending post or comment.
package struct PostChange: PendingChange {
  package static let kind = PendingChangeKind.post

  /// The feed that it is published to.
  package let service: JID
  package let node: String
  /// The item's id, the same at each attempt.
  package let item: String
  package let text: String
  package let written: Date
  package let isComment: Bool

  package init(_ draft: FeedDraft) {
    (service, node) = (draft.id.feed.service, draft.id.feed.node)
    (item, text, written) = (draft.id.item, draft.text, draft.written)
    isComment = draft.isComment
  }

  package var subject: [String] { Self.subject(of: id) }

  fileprivate static func subject(of id: FeedDraft.ID) -> [String] {
    [id.feed.service.description, id.feed.node, id.item]
  }

  private var id: FeedDraft.ID { FeedPost.ID(feed: Feed.ID(service, node), item: item) }

  fileprivate func draft(refusal: StatusNotice?) -> FeedDraft {
    FeedDraft(id: id, text: text, written: written, isComment: isComment, refusal: refusal)
  }
}

extension PendingChangeStoring {
  /// Returns the posts and comments that were written here and are not in their feed yet, the
  /// oldest first.
  package func drafts() async throws -> [FeedDraft] {
    try await pending(PostChange.self).map { $0.change.draft(refusal: $0.refusal) }
      .sorted { ($0.written, $0.id.item) < ($1.written, $1.id.item) }
  }

  /// Stores a draft with its refusal.
  package func save(_ draft: FeedDraft) async throws {
    try await keep(PostChange(draft), refusal: draft.refusal)
  }

  package func removeDraft(_ id: FeedDraft.ID) async throws {
    try await drop(PostChange.self, of: PostChange.subject(of: id))
  }
}
