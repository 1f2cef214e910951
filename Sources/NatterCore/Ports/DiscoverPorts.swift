import FoundationEssentials
import XMPP

/// The directories and what they listed, as the database holds it.
package protocol RoomDirectoryStoring: Sendable {
  func directories() async throws -> [RoomDirectory]
  func save(_ directory: RoomDirectory) async throws
  /// Forgets a directory and what it listed.
  func removeDirectory(_ jid: JID) async throws
  func publicRooms() async throws -> [PublicRoom]
  /// Puts `rooms` in the place of all that `directory` listed before.
  func replaceRooms(of directory: JID, with rooms: [PublicRoom]) async throws
  /// Stores what was learnt of rooms; those that no directory lists are left out.
  func save(_ rooms: [PublicRoom]) async throws
}

/// The rooms that anybody can find. What is known is there without a connection; changes are told as
/// `.publicRoomsChanged`. Everything throws `NatterError`.
package protocol PublicRoomFinding: Sendable {
  /// What was read last, from the database at first.
  func listing() async throws -> RoomListing
  /// Reads all lists again: first the names, then what the rooms say of themselves. Returns when all of it is there.
  /// - Throws: when there is no connection, or when no directory could be read.
  func refresh() async throws
  /// Adds a service of rooms or a search, and reads its list, at once or as soon as there is a connection.
  /// - Returns: `nil`: it waits.
  /// - Throws: when it is neither.
  func add(_ service: JID) async throws -> RoomDirectory?
  /// Forgets a directory and its rooms. One of the own server's comes back with the next reading.
  func remove(_ service: JID) async throws
  /// Has the searches that were added look for `text`, and adds what they find to the list.
  func search(for text: String) async throws
  /// Looks at a room from its door: asks it what it is, who is in it, and what was said last.
  func preview(of room: JID) async throws -> RoomPreview
}

/// What the own server consists of and the invitations it made, as the database holds it.
package protocol ServerComponentStoring: Sendable {
  func parts() async throws -> ServerParts
  func replace(_ parts: ServerParts) async throws
  func invitations() async throws -> [AccountInvitation]
  func save(_ invitation: AccountInvitation) async throws
  func removeInvitation(_ id: AccountInvitation.ID) async throws
}

/// What the own server consists of. What was read last is there without a connection; changes are told as
/// `.serverPartsChanged`. Everything throws `NatterError`.
package protocol ServerComponentFinding: Sendable {
  func parts() async throws -> ServerParts
  /// Asks the server and each of its parts what they are and can do.
  func refreshParts() async throws
  /// Asks any service what it says of one of its nodes (XEP-0030 §3.2).
  func part(_ jid: JID, node: String) async throws -> ServerComponent
  /// Asks any service what it lists under one of its nodes (XEP-0030 §4.2).
  func items(of jid: JID, node: String) async throws -> [XEP0030Item]
}

/// Invitations that the own server makes for others (XEP-0401). Everything throws `NatterError`.
package protocol InvitationMaking: Sendable {
  /// Those that were made here and are still good.
  func invitations() async throws -> [AccountInvitation]
  /// What the server makes for this account; empty where it makes none.
  func invitationKinds() async throws -> Set<AccountInvitation.Kind>
  func makeInvitation(_ kind: AccountInvitation.Kind) async throws -> AccountInvitation
  /// Takes it off the list; whoever has it can still use it.
  func forget(_ invitation: AccountInvitation) async throws
}

/// Feeds and posts as the database holds them.
package protocol FeedStoring: Sendable {
  func listing() async throws -> FeedListing
  /// The feeds, each with the number of its posts that were not read; their texts stay where they are.
  func counts() async throws -> [FeedCount]
  func save(_ feed: Feed) async throws
  /// Forgets a feed and its posts.
  func removeFeed(_ id: Feed.ID) async throws
  /// Adds posts, or changes them; whether one was read stays as it was.
  /// - Returns: those that are new.
  func add(_ posts: [FeedPost]) async throws -> [FeedPost]
  func remove(_ posts: [FeedPost.ID]) async throws
  func markRead(_ id: FeedPost.ID, _ isRead: Bool) async throws
  /// What was written here and is not in its feed yet, the oldest first.
  func drafts() async throws -> [FeedDraft]
  func save(_ draft: FeedDraft) async throws
  func removeDraft(_ id: FeedDraft.ID) async throws
}

/// Following feeds, reading and writing posts (XEP-0472, XEP-0277). What was read last is there without a connection; changes
/// are told as `.feedsChanged`. Everything throws `NatterError`.
package protocol FeedReading: Sendable {
  func listing() async throws -> FeedListing
  /// The feeds that are followed, each with the number of its posts that were not read.
  func counts() async throws -> [FeedCount]
  /// Reads all feeds anew.
  func refresh() async throws
  /// Begins to follow a feed, at once or as soon as there is a connection: its posts come by themselves from then on.
  /// - Returns: whether it is followed; otherwise that waits.
  /// - Throws: when there is none, or it may not be read.
  func follow(_ id: Feed.ID) async throws -> Bool
  func unfollow(_ id: Feed.ID) async throws
  func markRead(_ id: FeedPost.ID, _ isRead: Bool) async throws
  /// Puts a post into the own feed, for whoever may read it: the contacts, unless it was made otherwise. Without a connection
  /// it waits for one.
  /// - Returns: whether it is there.
  /// - Throws: when the server refuses; the text is kept.
  func post(_ text: String) async throws -> Bool
  /// The comments on a post, the oldest first, with those that wait here; without a connection only these.
  func comments(on post: FeedPost) async throws -> [FeedPost]
  /// As `post`.
  /// - Throws: also when nobody may comment there.
  func comment(_ text: String, on post: FeedPost) async throws -> Bool
  /// Tries once more with what was refused.
  /// - Returns: whether it is there.
  func retry(_ id: FeedDraft.ID) async throws -> Bool
  /// Throws away what waits or was refused.
  func discard(_ id: FeedDraft.ID) async throws
}
