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
  /// Returns the check whether a conversation of an account is muted now.
  let muting: (_ account: JID) -> (_ conversation: JID) -> Bool

  private struct Unread {
    let account: JID
    let conversation: Conversation
    let isMuted: Bool

    /// Indicates whether it is printed before another one.
    func isBefore(_ other: Unread) -> Bool {
      let time = conversation.lastActivity ?? .distantPast
      let otherTime = other.conversation.lastActivity ?? .distantPast
      guard time == otherTime else { return time > otherTime }
      let names = (conversation.jid.description, account.description)
      return names < (other.conversation.jid.description, other.account.description)
    }
  }

  func run(_ accounts: [StoredAccount]) async throws -> ExitCode {
    var found: [Unread] = []
    for account in accounts { found += try await unread(of: account) }
    guard request.isTotal else {
      for one in found.sorted(by: { $0.isBefore($1) }) { try print(one) }
      return .done
    }
    // As the tab bar of the full screen counts.
    let counted = found.filter { !$0.isMuted }.map(\.conversation)
    let unread = counted.reduce(0) { $0 + $1.unread }
    if request.isJSON {
      try output.print(
        JSONLine {
          $0.add("unread", unread)
          $0.add("mentions", counted.reduce(0) { $0 + $1.mentions })
        })
    } else {
      try output.print(String(unread))
    }
    return .done
  }

  private func unread(of account: StoredAccount) async throws -> [Unread] {
    guard let database = account.database else { return [] }
    let isMuted = muting(account.jid)
    return try await database.conversations.conversations().filter { $0.unread > 0 }.map {
      Unread(account: account.jid, conversation: $0, isMuted: isMuted($0.jid))
    }
  }

  private func print(_ one: Unread) throws {
    let conversation = one.conversation
    if request.isJSON {
      return try output.print(
        JSONLine {
          $0.add(conversation, of: one.account)
          if one.isMuted { $0.add("muted", true) }
        })
    }
    let mentions = conversation.mentions > 0 ? " @\(conversation.mentions)" : ""
    try output.print(
      "\(conversation.unread) \(SafeText.line(conversation.jid.shown))\(mentions)")
  }
}
