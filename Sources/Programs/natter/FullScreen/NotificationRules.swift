import Configuration
import FoundationEssentials
import Glibc
import NatterCore
import System
import TOML
import ViewModels
import XMPP

/// The notification rule of each conversation that has one: `notify.toml` in the data directory,
/// for all accounts.
final class NotificationRules {
  private let file: URL
  private var rules: [String: [String: NotificationRule]]?

  init(file: URL) { self.file = file }

  func rule(of conversation: JID, for account: JID) -> NotificationRule {
    loaded?[account.bare.description]?[conversation.description] ?? .standard
  }

  /// Stores a rule that the user chose.
  /// - Throws: `NatterError` if the file cannot be written, or not be read before.
  func keep(_ rule: NotificationRule, of conversation: JID, for account: JID) throws {
    guard set(rule, of: conversation, for: account) else {
      throw NatterError(.storage, "error.notifyUnwritable", ["path": file.path])
    }
  }

  /// - Returns: whether it could be stored; if not, the former rule stays.
  func set(_ rule: NotificationRule, of conversation: JID, for account: JID)
    -> Bool
  {
    // A file that cannot be read for now is not overwritten.
    guard let known = loaded else { return false }
    // Each start reports the rules of all bookmarks again.
    guard self.rule(of: conversation, for: account) != rule else { return true }
    do {
      // Another instance, with another account, may change the file: line mode, for example.
      return try PrivateFile.changing(file.path) {
        rules = nil
        guard var all = loaded else {
          rules = known
          return false
        }
        all[account.bare.description, default: [:]][conversation.description] =
          rule == .standard ? nil : rule
        guard write(all) else { return false }
        rules = all
        return true
      }
    } catch {
      return false
    }
  }

  private func write(_ all: [String: [String: NotificationRule]]) -> Bool {
    var writer = TOMLWriter()
    writer.comment("What of each conversation is told. Written by Natter.")
    for (account, own) in all.sorted(by: { $0.key < $1.key }) where !own.isEmpty {
      writer.section(account)
      for (jid, rule) in own.sorted(by: { $0.key < $1.key }) { writer.set(jid, rule.rawValue) }
    }
    return PrivateText.write(writer.text, to: file.path)
  }

  /// `nil`: there is a file, which cannot be read for now.
  private var loaded: [String: [String: NotificationRule]]? {
    if let rules { return rules }
    var read: [String: [String: NotificationRule]] = [:]
    if let data = try? Data(contentsOf: file) {
      // An invalid byte costs only its line.
      let text = String(decoding: data, as: UTF8.self)
      for table in TOMLDocument.parseCollectingErrors(text).document.tables
      where table.path.count == 1 {
        for entry in table.entries {
          if let rule = entry.value.string.flatMap(NotificationRule.init(rawValue:)) {
            read[table.path[0], default: [:]][entry.key] = rule
          }
        }
      }
    } else {
      guard access(file.path, F_OK) != 0, errno == ENOENT else { return nil }
    }
    rules = read
    return read
  }
}

extension NotificationRule {
  /// The setting of the account's other clients that means the same (XEP-0492).
  var setting: XEP0492Notification? {
    switch self {
    case .standard: nil
    case .all: .always
    case .mentions: .onMention
    case .none: .never
    }
  }

  /// The rule for a setting that another client of the account chose.
  init(_ setting: XEP0492Notification?) {
    self =
      switch setting {
      case nil: .standard
      case .always: .all
      case .onMention: .mentions
      case .never: .none
      }
  }
}
