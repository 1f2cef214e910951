import FoundationEssentials
import JSONLines
import NatterCore
import Storage
import Terminal
import XMPP

/// `natter unread`: the conversations with unread messages, the newest first; with `--total` their
/// number, for status bars.
struct UnreadCommand {
  let request: ReadingRequest
  let output: ReadingOutput

  func run(_ accounts: [StoredAccount]) async throws -> ExitCode {
    var (unread, mentions) = (0, 0)
    for account in accounts {
      for conversation in try await conversations(of: account) {
        unread += conversation.unread
        mentions += conversation.mentions
        if !request.isTotal { try print(conversation, of: account) }
      }
    }
    guard request.isTotal else { return .done }
    if request.isJSON {
      try output.print(
        JSONLine {
          $0.add("unread", unread)
          $0.add("mentions", mentions)
        })
    } else {
      try output.print(String(unread))
    }
    return .done
  }

  private func conversations(of account: StoredAccount) async throws -> [Conversation] {
    guard let database = account.database else { return [] }
    return try await database.conversations.conversations().filter { $0.unread > 0 }.sorted {
      let first = ($0.lastActivity ?? .distantPast, $1.jid.description)
      return first > ($1.lastActivity ?? .distantPast, $0.jid.description)
    }
  }

  private func print(_ conversation: Conversation, of account: StoredAccount) throws {
    if request.isJSON {
      return try output.print(JSONLine { $0.add(conversation, of: account.jid) })
    }
    let mentions = conversation.mentions > 0 ? " @\(conversation.mentions)" : ""
    try output.print(
      "\(conversation.unread) \(SafeText.line(conversation.jid.shown))\(mentions)")
  }
}
