import JSONLines
import NatterCore
import Storage
import XMPP

/// `natter rooms`: the rooms of the account as they are stored, by address.
struct RoomsCommand {
  let request: ReadingRequest
  let output: ReadingOutput

  func run(_ account: StoredAccount) async throws -> ExitCode {
    guard let database = account.database else { return .done }
    for bookmark in try await database.bookmarks.bookmarks()
    where bookmark.isPublished || bookmark.autojoins || bookmark.isWanted {
      guard request.isJSON else {
        try output.print(ContactsCommand.line(bookmark.room, bookmark.name))
        continue
      }
      var conversation =
        try await database.conversations.conversation(bookmark.room)
        ?? Conversation(jid: bookmark.room, kind: .room)
      conversation.kind = .room
      conversation.name = bookmark.name ?? conversation.name
      // Not the password: it is a secret.
      try output.print(
        JSONLine {
          $0.add(conversation, of: account.jid)
          $0.add("nick", bookmark.nick)
          $0.add("autojoin", bookmark.autojoins)
          $0.add("subject", bookmark.subject.isEmpty ? nil : bookmark.subject)
        })
    }
    return .done
  }
}
