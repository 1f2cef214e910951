import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

// Posts and comments: stored before they are sent, under a permanent item ID, and sent until the
// feed has them.
extension FeedReader {
  /// Writes a post in the own feed.
  /// - Returns: `false` if the post is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func post(_ text: String, onStored: @MainActor () -> Void) async throws -> Bool {
    let own = FeedPost.ID(feed: Feed.ID(account), item: identifiers.next())
    return try await write(
      FeedDraft(id: own, text: text, written: now(), isComment: false), onStored)
  }

  /// Writes a comment on a post.
  /// - Returns: `false` if the comment is pending.
  /// - Throws: `NatterError` when the post takes no comments, or the server refuses.
  package func comment(
    _ text: String, on post: FeedPost, onStored: @MainActor () -> Void
  ) async throws -> Bool {
    guard let node = post.comments else {
      throw NatterError(.refused, "error.discover.noComments")
    }
    let id = FeedPost.ID(feed: node, item: identifiers.next())
    return try await write(
      FeedDraft(id: id, text: text, written: now(), isComment: true), onStored)
  }

  /// Sends a refused draft again.
  /// - Returns: `false` if the draft is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func retry(_ id: FeedDraft.ID) async throws -> Bool {
    guard var draft = try await changes.drafts().first(where: { $0.id == id }) else { return true }
    draft.refusal = nil
    return try await write(draft) {}
  }

  /// Removes a draft. One that is being sent may still reach its feed.
  package func discard(_ id: FeedDraft.ID) async throws {
    // A refusal does not store it again.
    underWay.remove(id)
    try await changes.removeDraft(id)
    hub.publish(.feedsChanged)
  }

  /// Returns the comments on a post, the oldest first, followed by pending ones; without a
  /// connection only those.
  /// - Throws: `NatterError`.
  package func comments(on post: FeedPost) async throws -> [FeedPost] {
    guard let node = post.comments else { return [] }
    var comments: [FeedPost] = []
    if let channel {
      do {
        comments = try await items(of: node, over: channel).sorted { $0.published < $1.published }
      } catch let error as StanzaError where error.condition == .itemNotFound {
        // The post has no comments.
      } catch {
        throw NatterError(answering: error)
      }
    }
    let known = Set(comments.map(\.id))
    let waiting = try await changes.drafts().filter { $0.id.feed == node && !known.contains($0.id) }
    return comments + waiting.map(shown)
  }

  /// Returns the form in which a draft is listed among the posts.
  func shown(_ draft: FeedDraft) -> FeedPost {
    FeedPost(
      id: draft.id, author: account.local ?? account.description, title: draft.text, text: "",
      published: draft.written, isRead: true,
      publishState: draft.refusal.map { .refused($0) } ?? .waiting)
  }

  // MARK: - On the way

  private func write(_ draft: FeedDraft, _ onStored: @MainActor () -> Void) async throws -> Bool {
    try await changes.save(draft)
    await onStored()
    hub.publish(.feedsChanged)
    return try await submit(draft)
  }

  /// Sends the pending drafts, the oldest first.
  func submitDrafts() async {
    await queue.submitAll {
      try await changes.drafts().filter { $0.refusal == nil }
    } _: {
      _ = try await submit($0)
    }
  }

  /// - Returns: `true` if the draft is in its feed; `false` if it is pending.
  /// - Throws: `NatterError` when it was refused, and storage errors.
  private func submit(_ draft: FeedDraft) async throws -> Bool {
    guard let channel, underWay.insert(draft.id).inserted else { return false }
    defer { underWay.remove(draft.id) }
    let isSubmitted = try await queue.submit {
      try await publish(draft, over: channel)
    } refused: { refusal in
      guard underWay.contains(draft.id) else { return }
      var refused = draft
      refused.refusal = refusal
      try await changes.save(refused)
      hub.publish(.feedsChanged)
    }
    guard isSubmitted else { return false }
    try await changes.removeDraft(draft.id)
    hub.publish(.feedsChanged)
    return true
  }

  private func publish(_ draft: FeedDraft, over channel: any StanzaChannel) async throws {
    let feed = draft.id.feed
    var entry = XEP0277Entry(
      id: draft.id.item, author: account.local, title: draft.text,
      published: XEP0082DateTime.text(for: draft.written))
    if !draft.isComment {
      let comments = "urn:xmpp:microblog:0:comments/\(draft.id.item)"
      entry.comments = XEP0277Entry.NodeAddress(service: account, node: comments)
      // Everyone who may read the post may comment on it and read the comments.
      try await make(comments, publishers: "open", over: channel)
      try await make(feed.node, publishers: "publishers", over: channel)
    }
    _ = try await channel.insist(
      XEP0060.publication(of: entry.item, in: feed.node, at: feed.service))
    guard !draft.isComment, let post = post(entry.item, in: feed) else { return }
    try await keepPublished(post)
  }

  /// Creates a node of the own account unless it exists.
  private func make(_ node: String, publishers: String, over channel: any StanzaChannel)
    async throws
  {
    do {
      _ = try await channel.insist(
        XEP0060.feedCreation(
          of: node, at: account, access: "presence", publishers: publishers))
    } catch let error as StanzaError where error.condition == .conflict {
      // The node exists, configured as the user wanted it.
    }
  }
}
