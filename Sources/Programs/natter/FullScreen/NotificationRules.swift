import Configuration
import FoundationEssentials
import Glibc
import NatterCore
import System
import TOML
import ViewModels
import XMPP

/// The notification rule of each conversation that has one, and the times until which conversations
/// are muted: `notify.toml` in the data directory, for all accounts.
final class NotificationRules {
  /// The content of the file, by account and conversation.
  private struct Content {
    var rules: [String: [String: NotificationRule]] = [:]
    var mutes: [String: [String: Date]] = [:]
  }

  /// The second part of the name of an account's section with mutes.
  private static let muteSection = "muted-until"

  private let file: URL
  private let now: () -> Date
  private var content: Content?

  init(file: URL, now: @escaping () -> Date = { Date() }) {
    (self.file, self.now) = (file, now)
  }

  func rule(of conversation: JID, for account: JID) -> NotificationRule {
    loaded?.rules[account.bare.description]?[conversation.description] ?? .standard
  }

  /// Stores a rule that the user chose.
  /// - Throws: `NatterError` if the file cannot be written, or not be read before.
  func keep(_ rule: NotificationRule, of conversation: JID, for account: JID) throws {
    guard set(rule, of: conversation, for: account) else { throw unwritable }
  }

  /// - Returns: whether it could be stored; if not, the former rule stays.
  func set(_ rule: NotificationRule, of conversation: JID, for account: JID)
    -> Bool
  {
    // Each start reports the rules of all bookmarks again.
    if loaded != nil, self.rule(of: conversation, for: account) == rule { return true }
    return change { content in
      content.rules[account.bare.description, default: [:]][conversation.description] =
        rule == .standard ? nil : rule
    }
  }

  /// Stores the time until which a conversation is muted; `nil` removes it.
  /// - Throws: `NatterError` if the file cannot be written, or not be read before.
  func mute(_ conversation: JID, until end: Date?, for account: JID) throws {
    let isStored = change { content in
      content.mutes[account.bare.description, default: [:]][conversation.description] = end
    }
    guard isStored else { throw unwritable }
  }

  /// The rules of an account for its view models.
  /// - Parameter publish: stores each rule that the user chose for the account's other clients,
  ///   before the file has it.
  func notifications(
    of account: JID, _ scheduler: Scheduler?,
    publish: @escaping (NotificationRule, JID) async throws -> Void = { _, _ in }
  ) -> ConversationNotifications {
    var store = NotificationStore()
    store.rule = { [self] in rule(of: $0, for: account) }
    store.publish = { try await publish($1, $0) }
    store.setRule = { [self] in try keep($1, of: $0, for: account) }
    store.silenced = { [self] in
      let rules = loaded?.rules[account.bare.description] ?? [:]
      return Set(rules.filter { $0.value == .none }.keys.compactMap { JID(parsing: $0) })
    }
    store.ends = { [self] in
      let mutes = loaded?.mutes[account.bare.description] ?? [:]
      return Dictionary(
        mutes.compactMap { name, end in JID(parsing: name).map { ($0, end) } },
        uniquingKeysWith: { $1 })
    }
    store.setEnd = { [self] in try mute($0, until: $1, for: account) }
    return ConversationNotifications(store, scheduler: scheduler, now: now)
  }

  private var unwritable: NatterError {
    NatterError(.storage, "error.notifyUnwritable", ["path": file.path])
  }

  /// Changes the file.
  /// - Returns: `false` if that failed; then nothing has changed.
  private func change(_ edit: (inout Content) -> Void) -> Bool {
    // A file that cannot be read for now is not overwritten.
    guard let known = loaded else { return false }
    do {
      // Another instance, with another account, may change the file: line mode, for example.
      return try PrivateFile.changing(file.path) {
        self.content = nil
        guard var all = loaded else {
          self.content = known
          return false
        }
        edit(&all)
        let time = now()
        all.mutes = all.mutes.mapValues { $0.filter { $0.value > time } }
        guard PrivateText.write(Self.text(of: all), to: file.path) else { return false }
        self.content = all
        return true
      }
    } catch {
      return false
    }
  }

  private static func text(of content: Content) -> String {
    var writer = TOMLWriter()
    writer.comment("The notifications of each conversation. Written by Natter.")
    for (account, own) in content.rules.sorted(by: { $0.key < $1.key }) where !own.isEmpty {
      writer.section(account)
      for (jid, rule) in own.sorted(by: { $0.key < $1.key }) { writer.set(jid, rule.rawValue) }
    }
    for (account, own) in content.mutes.sorted(by: { $0.key < $1.key }) where !own.isEmpty {
      writer.section(account, muteSection)
      for (jid, end) in own.sorted(by: { $0.key < $1.key }) {
        writer.set(jid, XEP0082DateTime.text(for: end))
      }
    }
    return writer.text
  }

  /// `nil`: there is a file, which cannot be read for now.
  private var loaded: Content? {
    if let content { return content }
    var read = Content()
    if let data = try? Data(contentsOf: file) {
      // An invalid byte costs only its line.
      let text = String(decoding: data, as: UTF8.self)
      for table in TOMLDocument.parseCollectingErrors(text).document.tables {
        for entry in table.entries { Self.take(entry, of: table.path, into: &read) }
      }
    } else {
      guard access(file.path, F_OK) != 0, errno == ENOENT else { return nil }
    }
    content = read
    return read
  }

  private static func take(_ entry: TOMLTable.Entry, of path: [String], into content: inout Content)
  {
    guard let value = entry.value.string else { return }
    if path.count == 1 {
      content.rules[path[0], default: [:]][entry.key] = NotificationRule(rawValue: value)
    } else if path.count == 2, path[1] == muteSection {
      content.mutes[path[0], default: [:]][entry.key] = XEP0082DateTime.date(from: value)
    }
  }
}

extension NotificationRules {
  /// The rules of the profile.
  convenience init(_ context: LaunchContext) {
    self.init(file: context.paths.data.appending(path: "notify.toml"))
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
