import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

/// A home with an account that is not signed in, and with messages of it that were stored earlier.
struct StoredHome: Sendable {
  static let account = JID(local: "me", domain: "natter.test")
  static let bob = JID(local: "bob", domain: "natter.test")
  static let room = JID(local: "tea", domain: "rooms.natter.test")
  /// 28 November 2026, 10:00:00 UTC.
  static let start = Date(timeIntervalSince1970: 1_795_860_000)

  let home: Home

  init() throws {
    home = try Home()
    try home.folder.write(
      "[account]\naddress = \"\(Self.account)\"\n", to: "config/natter/config.toml")
  }

  var database: String {
    home.data.appending(path: "accounts/\(AccountDatabase.fileName(of: Self.account))").path
  }

  /// Opens the database as a running Natter does, lets `work` store something, and closes it.
  func fill(_ work: (AccountDatabase) async throws -> Void) async throws {
    let account = try await AccountDatabase.open(at: database)
    try await work(account)
    await account.close()
  }

  /// Stores a contact, a room and four messages, of which three are unread.
  func fill() async throws {
    try await fill { account in
      try await account.roster.replaceContacts(
        [Contact(jid: Self.bob, name: "Bob", subscription: .both, groups: ["Friends"])],
        version: nil)
      try await account.bookmarks.save(
        Bookmark(
          room: Self.room, name: "Tea room", nick: "me", password: "a secret", autojoins: true,
          isPublished: true))
      _ = try await account.bookmarks.openConversation(of: Self.room, name: "Tea room")
      let carol = JID(
        local: Self.room.local, domain: Self.room.domain, resource: "carol")
      var mention = message("me: \u{1b}[31mtea?\nor coffee", at: 120, in: Self.room, from: carol)
      mention.isMention = true
      _ = try await account.messages.insert(
        [
          message("hello", at: 0),
          message("yes", at: 60, from: Self.account, direction: .outgoing),
          message("good tea", at: 90), mention,
          message("green tea", at: 180, in: Self.room, from: carol),
        ], countsUnread: { $0.direction == .incoming && $0.sentAt > Self.start })
    }
  }

  func message(
    _ body: String, at seconds: Double, in conversation: JID = Self.bob, from sender: JID? = nil,
    direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    IncomingMessage(
      conversation: conversation, sender: sender ?? conversation, direction: direction, body: body,
      sentAt: Self.start.addingTimeInterval(seconds), originID: "o\(Int(seconds))")
  }

  /// Runs a command with exactly these arguments.
  func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> CommandRun
  {
    try await CommandRun(
      Programs.natter, arguments, environment: home.environment(environment),
      upTo: .seconds(120))
  }

  func run(_ arguments: String...) async throws -> CommandRun { try await run(arguments) }

  /// Each file and folder with its size and the time of its last change.
  var state: [String: String] {
    get throws {
      let root = home.folder.root
      var state: [String: String] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
        var facts = stat()
        guard lstat(root.appending(path: name).path, &facts) == 0 else { continue }
        state[name] =
          "\(facts.st_size) \(facts.st_mode) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
      }
      return state
    }
  }
}
