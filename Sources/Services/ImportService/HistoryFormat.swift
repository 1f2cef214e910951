import XMPP

/// An entry that a reader finds in a history.
package enum ImportItem: Hashable, Sendable {
  case message(ImportedMessage)
  /// Something that cannot be read, such as a broken line.
  /// - Parameter place: where, for the report: `FILE:LINE`, or `FILE TABLE ROW`.
  case refused(place: String)
  /// A message of another account, where the history does not say of which.
  case foreign
  /// An entry that is no message of this account's conversations: a status, another protocol.
  case skipped
}

/// Facts that a reader needs and a history does not contain.
package struct ImportContext: Sendable {
  /// The account, bare, if the user said which.
  package var account: JID?
  /// The nicks and names of the user in histories that have names only. The local part of the
  /// account is one as well.
  package var ownNames: Set<String> = []
  /// The offset of local times from UTC, in seconds, at a moment given as local seconds since 1970.
  package var offset: @Sendable (Int) -> Int = { _ in 0 }
  /// The newest schema of archives of Natter that can be read.
  package var newestSchema = Int.max
  /// The languages that the user reads, the preferred one first, for texts in several.
  package var languages: [String] = []
  /// The account's password, for a history that is encrypted with it; `nil`: not given.
  package var password: String?

  package init() {}

  /// Returns whether a name belongs to the user.
  func isOwn(_ name: String) -> Bool { isOwn(name, account: nil) }

  /// Returns whether a name belongs to the user.
  /// - Parameter account: the account of the history, if that has one.
  func isOwn(_ name: String, account: JID?) -> Bool {
    if ownNames.contains(name) { return true }
    guard let account = account ?? self.account else { return false }
    return name == account.local || name == account.bare.description
  }
}

/// A history cannot be read at all.
package enum ImportFailure: Error, Hashable, Sendable {
  /// The file is of this format, but of a version that is not supported.
  case unsupportedVersion(String)
  /// The file cannot be opened or read: the system's error number, or another library's text.
  case unreadable(path: String, reason: String)
  /// A newer version of Natter wrote the file.
  case newerVersion(path: String)
  /// The file is damaged.
  case damaged(path: String)
  /// An archive of Natter is damaged, or has a part that is none of an archive: nothing of it is
  /// used.
  case archive(path: String)
  /// A password is needed, or the given one is wrong.
  case password
  /// A library of the system that the format needs is missing.
  case missingLibrary(String)
}

/// A format of histories that other programs write.
package protocol HistoryFormat: Sendable {
  /// The name after `--as`.
  static var name: String { get }
  /// Indicates whether histories are encrypted with the account's password.
  static var needsPassword: Bool { get }
  /// Returns whether a file or folder has this format, by its content.
  static func recognizes(_ path: String) -> Bool
  /// - Throws: `ImportFailure`.
  init(path: String, context: ImportContext) throws
  /// Reads the whole history in the order of its files, without keeping it in memory.
  /// - Throws: `ImportFailure`, and what `take` throws.
  func read(_ take: (ImportItem) throws -> Void) throws
}

extension HistoryFormat {
  package static var needsPassword: Bool { false }
}
