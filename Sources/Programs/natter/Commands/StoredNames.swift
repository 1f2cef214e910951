import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// The names of an account's contacts and rooms, and the kinds of its conversations, as stored.
nonisolated struct StoredNames: Sendable {
  let format: ItemFormat
  private var people: People
  private var conversations: [JID: Conversation] = [:]
  private var nicks: [JID: String] = [:]

  /// - Parameter database: `nil`: nothing is stored.
  init(_ database: AccountDatabase?, format: ItemFormat) async throws {
    self.format = format
    people = People(own: OwnNames(format))
    guard let database else { return }
    let shown = try await database.conversations.conversations()
    let all = try await shown + database.conversations.hiddenConversations()
    conversations = Dictionary(all.map { ($0.jid, $0) }, uniquingKeysWith: { first, _ in first })
    _ = people.apply(.contactsChanged(try await database.roster.contacts()))
    _ = people.apply(.conversationsChanged(all))
    let bookmarks = try await database.bookmarks.bookmarks()
    for bookmark in bookmarks { nicks[bookmark.room] = bookmark.nick }
    _ = people.apply(
      .roomsChanged(
        bookmarks.map { Room(jid: $0.room, name: $0.name, nick: $0.nick ?? "") }))
  }

  /// Returns the name of the sender of a message, in one line.
  func speaker(of message: Message) -> String {
    if message.direction == .outgoing { return format.localizer("timeline.you") }
    let conversation = message.conversation
    guard conversations[conversation]?.kind == .room, !message.sender.isBare else {
      return people.name(of: conversation)
    }
    return people.occupantName(of: message.sender, besides: nicks[conversation])
  }

  /// Returns the name of an address in a conversation, in one line.
  func name(of sender: JID, in conversation: JID) -> String {
    if sender.bare == format.account { return format.localizer("timeline.you") }
    guard conversations[conversation]?.kind == .room, sender.bare == conversation,
      !sender.isBare
    else { return people.name(of: sender) }
    return people.occupantName(of: sender, besides: nicks[conversation])
  }

  /// The addresses of all conversations, sorted.
  var addresses: [JID] { conversations.keys.sorted { $0.description < $1.description } }

  /// Indicates whether there is a conversation with this address.
  func hasConversation(with jid: JID) -> Bool { conversations[jid] != nil }

  /// Returns the name of a contact, or a room, in one line.
  func name(of conversation: JID) -> String { people.name(of: conversation) }

  /// Returns the kind of a conversation in the output for programs.
  func kind(of conversation: JID) -> String {
    conversations[conversation]?.outputKind ?? "direct"
  }
}
