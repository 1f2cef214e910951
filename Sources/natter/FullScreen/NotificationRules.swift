import Configuration
import FoundationEssentials
import NatterCore
import TOML
import ViewModels
import XMPP

/// What of each conversation is told, where somebody has said so: `notify.toml` in the data directory, for all accounts.
final class NotificationRules {
  private let file: URL
  private var rules: [String: [String: NotificationRule]]?

  init(file: URL) { self.file = file }

  func rule(of conversation: JID, for account: JID) -> NotificationRule {
    loaded[account.bare.description]?[conversation.description] ?? .standard
  }

  /// - Returns: whether it could be kept.
  @discardableResult func set(_ rule: NotificationRule, of conversation: JID, for account: JID)
    -> Bool
  {
    var all = loaded
    all[account.bare.description, default: [:]][conversation.description] =
      rule == .standard ? nil : rule
    rules = all
    var writer = TOMLWriter()
    writer.comment("What of each conversation is told. Written by Natter.")
    for (account, own) in all.sorted(by: { $0.key < $1.key }) where !own.isEmpty {
      writer.section(account)
      for (jid, rule) in own.sorted(by: { $0.key < $1.key }) { writer.set(jid, rule.rawValue) }
    }
    return PrivateText.write(writer.text, to: file.path)
  }

  private var loaded: [String: [String: NotificationRule]] {
    if let rules { return rules }
    var read: [String: [String: NotificationRule]] = [:]
    if let text = try? String(contentsOf: file, encoding: .utf8) {
      for table in TOMLDocument.parseCollectingErrors(text).document.tables
      where table.path.count == 1 {
        for entry in table.entries {
          if let rule = entry.value.string.flatMap(NotificationRule.init(rawValue:)) {
            read[table.path[0], default: [:]][entry.key] = rule
          }
        }
      }
    }
    rules = read
    return read
  }
}
