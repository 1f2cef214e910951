import FoundationEssentials
import XMPP

/// Stores the directories and the rooms that they list.
package protocol RoomDirectoryStoring: Sendable {
  func directories() async throws -> [RoomDirectory]
  func save(_ directory: RoomDirectory) async throws
  /// Removes a directory and its rooms.
  func removeDirectory(_ jid: JID) async throws
  /// Returns the rooms of all directories.
  func publicRooms() async throws -> [PublicRoom]
  /// Replaces all rooms of `directory` by `rooms`.
  func replaceRooms(of directory: JID, with rooms: [PublicRoom]) async throws
  /// Updates rooms; those that no directory lists are ignored.
  func save(_ rooms: [PublicRoom]) async throws
}

/// Finds public rooms. Known ones are available without a connection; changes are published as
/// `.publicRoomsChanged`. All methods throw `NatterError`.
package protocol PublicRoomFinding: Sendable {
  /// Returns the last result, initially from the database.
  func listing() async throws -> RoomListing
  /// Reads all lists again: first the names, then the descriptions of the rooms. Returns when it is
  /// complete.
  /// - Throws: if there is no connection, or if no directory could be read.
  func refresh() async throws
  /// Adds a chat service or a search, and reads its list, at once or as soon as there is a
  /// connection.
  /// - Returns: `nil` if the addition is pending.
  /// - Throws: if the service is neither; `CancellationError` if the user removed it meanwhile.
  func add(_ service: JID) async throws -> RoomDirectory?
  /// Removes a directory and its rooms. Those of the own server return with the next refresh.
  func remove(_ service: JID) async throws
  /// Queries the added searches for `text`, and adds the results to the list.
  func search(for text: String) async throws
  /// Queries a room without joining: its description, occupants and latest messages.
  func preview(of room: JID) async throws -> RoomPreview
}

/// Stores the components of the own server and the invitations that it made.
package protocol ServerComponentStoring: Sendable {
  func parts() async throws -> ServerParts
  /// Replaces all stored components.
  func replace(_ parts: ServerParts) async throws
  func invitations() async throws -> [AccountInvitation]
  func save(_ invitation: AccountInvitation) async throws
  func removeInvitation(_ id: AccountInvitation.ID) async throws
}

/// Finds the components of the own server. The last result is available without a connection;
/// changes are published as `.serverPartsChanged`. All methods throw `NatterError`.
package protocol ServerComponentFinding: Sendable {
  /// Returns the components of the last discovery.
  func parts() async throws -> ServerParts
  /// Queries the identities and features of the server and each of its components.
  func refreshParts() async throws
  /// Queries the information of a node of any service (XEP-0030 §3.2).
  func part(_ jid: JID, node: String) async throws -> ServerComponent
  /// Queries the items of a node of any service (XEP-0030 §4.2).
  func items(of jid: JID, node: String) async throws -> [XEP0030Item]
}

/// Creates invitations through the own server (XEP-0401). All methods throw `NatterError`.
package protocol InvitationMaking: Sendable {
  /// Returns the valid invitations that were made here.
  func invitations() async throws -> [AccountInvitation]
  /// Returns the kinds of invitations that the server offers to this account; empty if none.
  func invitationKinds() async throws -> Set<AccountInvitation.InvitationKind>
  /// Requests an invitation from the server, and stores it.
  func makeInvitation(_ kind: AccountInvitation.InvitationKind) async throws -> AccountInvitation
  /// Removes it from the list; anyone who has it can still use it.
  func forget(_ invitation: AccountInvitation) async throws
}

/// Stores feeds and posts.
package protocol FeedStoring: Sendable {
  /// Returns the followed feeds and their stored posts.
  func listing() async throws -> FeedListing
  /// Returns the feeds, each with its number of unread posts, without loading texts.
  func counts() async throws -> [FeedCount]
  func save(_ feed: Feed) async throws
  /// Removes a feed and its posts.
  func removeFeed(_ id: Feed.ID) async throws
  /// Adds or updates posts; read marks are kept.
  /// - Returns: the new ones.
  func add(_ posts: [FeedPost]) async throws -> [FeedPost]
  func remove(_ posts: [FeedPost.ID]) async throws
  /// Removes all posts of a feed.
  /// - Returns: `false` if there were none.
  func removePosts(of feed: Feed.ID) async throws -> Bool
  func markRead(_ id: FeedPost.ID, _ isRead: Bool) async throws
}

/// Follows feeds, reads and writes posts (XEP-0472, XEP-0277). The last state is available without
/// a connection; changes are published as `.feedsChanged`. All methods throw `NatterError`.
package protocol FeedReading: Sendable {
  /// Returns the followed feeds and their known posts.
  func listing() async throws -> FeedListing
  /// Returns the followed feeds, each with its number of unread posts.
  func counts() async throws -> [FeedCount]
  /// Reads all feeds again.
  func refresh() async throws
  /// Follows a feed, at once or as soon as there is a connection: its posts arrive automatically
  /// from then on.
  /// - Returns: `true` if it is followed; otherwise that is pending.
  /// - Throws: if there is no such feed, or it may not be read; `CancellationError` if the user
  ///   left it meanwhile.
  func follow(_ id: Feed.ID) async throws -> Bool
  func unfollow(_ id: Feed.ID) async throws
  func markRead(_ id: FeedPost.ID, _ isRead: Bool) async throws
  /// Publishes a post in the own feed, for its permitted readers: the contacts, unless the node is
  /// configured otherwise. Without a connection it is pending.
  /// - Parameter onStored: called once the text is stored; from then on it is kept.
  /// - Returns: `true` if it is published.
  /// - Throws: if it cannot be stored, or the server refuses it; then the text is kept.
  func post(_ text: String, onStored: @MainActor () -> Void) async throws -> Bool
  /// Returns the comments on a post, oldest first, including pending ones; without a connection
  /// only these.
  func comments(on post: FeedPost) async throws -> [FeedPost]
  /// Publishes a comment, like `post`.
  /// - Throws: also if comments are not allowed there.
  func comment(_ text: String, on post: FeedPost, onStored: @MainActor () -> Void) async throws
    -> Bool
  /// Retries a refused post.
  /// - Returns: `true` if it is published.
  func retry(_ id: FeedDraft.ID) async throws -> Bool
  /// Discards a pending or refused post.
  func discard(_ id: FeedDraft.ID) async throws
}

extension FeedReading {
  /// Publishes a post in the own feed.
  package func post(_ text: String) async throws -> Bool { try await post(text) {} }
  /// Publishes a comment.
  package func comment(_ text: String, on post: FeedPost) async throws -> Bool {
    try await comment(text, on: post) {}
  }
}
