import FoundationEssentials
import Glibc
import NatterCore
import XMPP

/// Files that other programs of the same person leave for the one that has an account's database open, and what that one tells
/// them of it.
extension MessageSpool {
  /// A file that is to be sent from where it is.
  package struct File: Hashable, Sendable {
    /// Of the message that is to offer it.
    package let originID: String
    package let recipient: JID
    /// Absolute.
    package let path: String
    /// What is said after it; `nil`: nothing.
    package let words: String?
    package let begun: Date

    package init(originID: String, recipient: JID, path: String, words: String?, begun: Date) {
      self.originID = originID
      self.recipient = recipient
      self.path = path
      self.words = words
      self.begun = begun
    }
  }

  /// What whoever left a file is told of it, as sentences in the person's language. All but the first is the last word.
  package enum Answer: Hashable, Codable, Sendable {
    /// How far it is, in words; empty before it begins.
    case moving(name: String, progress: String)
    /// The server has all of it.
    case accepted
    /// It cannot be sent so.
    case unusable(String)
    /// It is not on the web; nothing was sent.
    case notShared(String)
    /// The server refuses the message.
    case refused(String)
    /// There is no connection; it is sent when there is one.
    case waiting(String)
    /// It was to be stopped; whether that was too late.
    case stopped(isTooLate: Bool)
  }

  /// What a file of the folder says. Times are seconds since 1970.
  private struct FileRecord: Codable {
    let id: String
    let to: String
    let path: String
    let words: String?
    let begun: Double
  }

  private static let fileEnding = ".file"
  private static let answerEnding = ".answer"
  private static let stopEnding = ".stop"

  /// Puts a file's name there; it is on the disk, whole, when this returns.
  /// - Throws: `StorageError`.
  package func leave(_ file: File) throws {
    try put(
      FileRecord(
        id: file.originID, to: file.recipient.description, path: file.path, words: file.words,
        begun: file.begun.timeIntervalSince1970), as: Self.name(file.originID) + Self.fileEnding)
  }

  /// What is there, in the order in which it was left.
  package func files() -> [File] {
    contents(Self.fileEnding).compactMap { name -> File? in
      guard let record = read(name, as: FileRecord.self), let recipient = JID(parsing: record.to),
        Self.name(record.id) + Self.fileEnding == name
      else { return nil }
      return File(
        originID: record.id, recipient: recipient, path: record.path, words: record.words,
        begun: Date(timeIntervalSince1970: record.begun))
    }.sorted { ($0.begun, $0.originID) < ($1.begun, $1.originID) }
  }

  /// Forgets a file that is stored elsewhere by now.
  /// - Throws: `StorageError`.
  package func remove(_ file: File) throws {
    try remove(Self.name(file.originID) + Self.fileEnding)
  }

  // MARK: Answers

  /// Has answers left for whoever asks.
  /// - Throws: `StorageError`.
  package func expectAnswer(to id: String) throws {
    try put(Answer.moving(name: "", progress: ""), as: Self.name(id) + Self.answerEnding)
  }

  /// Whether somebody waits for answers.
  package func isAwaited(_ id: String) -> Bool {
    access("\(folder)/\(Self.name(id))\(Self.answerEnding)", F_OK) == 0
  }

  /// Leaves an answer, where somebody waits for one.
  /// - Throws: `StorageError`.
  package func answer(_ answer: Answer, to id: String) throws {
    guard isAwaited(id) else { return }
    try put(answer, as: Self.name(id) + Self.answerEnding, isLasting: false)
  }

  /// The newest answer; `nil`: there is none.
  package func answer(to id: String) -> Answer? {
    read(Self.name(id) + Self.answerEnding, as: Answer.self)
  }

  /// Asks that the file is not sent.
  /// - Throws: `StorageError`.
  package func stop(_ id: String) throws { try put(id, as: Self.name(id) + Self.stopEnding) }

  /// The files that are not to be sent.
  package func stopped() -> [String] {
    contents(Self.stopEnding).compactMap { read($0, as: String.self) }
  }

  /// Nobody waits for answers any more.
  package func forgetAnswers(to id: String) {
    for ending in [Self.answerEnding, Self.stopEnding] {
      unlink("\(folder)/\(Self.name(id))\(ending)")
    }
  }

  /// Removes what programs have left that ended without a word.
  /// - Parameter seconds: how old it is at least.
  package func forgetAnswers(olderThan seconds: Double, now: Date = Date()) {
    for name in contents(Self.answerEnding) + contents(Self.stopEnding) {
      var facts = stat()
      let path = "\(folder)/\(name)"
      if lstat(path, &facts) == 0,
        now.timeIntervalSince1970 - Double(facts.st_mtim.tv_sec) >= seconds
      {
        unlink(path)
      }
    }
  }
}
