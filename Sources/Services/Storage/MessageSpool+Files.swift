import FoundationEssentials
import Glibc
import NatterCore
import XMPP

/// Files that other instances of the same user pass to the instance that has an account's database
/// open, and the answers of that instance.
extension MessageSpool {
  /// A file to send from its path.
  package struct File: Hashable, Sendable {
    /// The origin-id of the message that offers it.
    package let originID: String
    package let recipient: JID
    /// The absolute path.
    package let path: String
    /// The text that follows it; `nil`: none.
    package let text: String?
    /// The time of the request, by which files are ordered.
    package let begun: Date

    package init(originID: String, recipient: JID, path: String, text: String?, begun: Date) {
      self.originID = originID
      self.recipient = recipient
      self.path = path
      self.text = text
      self.begun = begun
    }
  }

  /// An answer about a file to the instance that left it, as sentences in the user's language. All
  /// but the first case are final.
  package enum Answer: Hashable, Codable, Sendable {
    /// The progress as text; empty before it begins.
    case moving(name: String, progress: String)
    /// The server has all of it.
    case accepted
    /// The file cannot be sent.
    case unusable(String)
    /// The file could not be uploaded; nothing was sent.
    case notShared(String)
    /// The server refuses the message.
    case refused(String)
    /// There is no connection; it is sent when there is a connection.
    case waiting(String)
    /// It was to be stopped; `isTooLate` if it was sent already.
    case stopped(isTooLate: Bool)
  }

  /// The format of a file in the folder. Times are seconds since 1970.
  private struct FileRecord: Codable {
    let id: String
    let to: String
    let path: String
    let text: String?
    let begun: Double

    private enum CodingKeys: String, CodingKey {
      case id, to, path, begun
      case text = "words"
    }
  }

  private static let fileEnding = ".file"
  private static let answerEnding = ".answer"
  private static let stopEnding = ".stop"

  /// Adds a request for a file; it is on the disk, whole, when this returns.
  /// - Throws: `StorageError`.
  package func leave(_ file: File) throws {
    try put(
      FileRecord(
        id: file.originID, to: file.recipient.description, path: file.path, text: file.text,
        begun: file.begun.timeIntervalSince1970), as: Self.name(file.originID) + Self.fileEnding)
  }

  /// Returns the requests, in the order in which they were added.
  package func files() -> [File] {
    contents(Self.fileEnding).compactMap { name -> File? in
      guard let record = read(name, as: FileRecord.self) else { return nil }
      guard let recipient = JID(parsing: record.to),
        Self.name(record.id) + Self.fileEnding == name
      else {
        reportUnreadable(name, "its name and its recipient do not fit")
        return nil
      }
      return File(
        originID: record.id, recipient: recipient, path: record.path, text: record.text,
        begun: Date(timeIntervalSince1970: record.begun))
    }.sorted { ($0.begun, $0.originID) < ($1.begun, $1.originID) }
  }

  /// Removes a request that is stored in the database by now.
  /// - Throws: `StorageError`.
  package func remove(_ file: File) throws {
    try remove(Self.name(file.originID) + Self.fileEnding)
  }

  // MARK: Answers

  /// Requests answers about the message of that origin-id.
  /// - Throws: `StorageError`.
  package func expectAnswer(to id: String) throws {
    try put(Answer.moving(name: "", progress: ""), as: Self.name(id) + Self.answerEnding)
  }

  /// Returns `true` if an instance waits for answers.
  package func isAwaited(_ id: String) -> Bool {
    access("\(folder)/\(Self.name(id))\(Self.answerEnding)", F_OK) == 0
  }

  /// Writes an answer, where an instance waits for it.
  /// - Throws: `StorageError`.
  package func answer(_ answer: Answer, to id: String) throws {
    guard isAwaited(id) else { return }
    try put(answer, as: Self.name(id) + Self.answerEnding, isLasting: false)
  }

  /// Returns the newest answer; `nil`: there is none.
  package func answer(to id: String) -> Answer? {
    read(Self.name(id) + Self.answerEnding, as: Answer.self)
  }

  /// Requests that the file is not sent.
  /// - Throws: `StorageError`.
  package func stop(_ id: String) throws { try put(id, as: Self.name(id) + Self.stopEnding) }

  /// Returns the origin-ids of the files that are not to be sent.
  package func stopped() -> [String] {
    contents(Self.stopEnding).compactMap { read($0, as: String.self) }
  }

  /// Removes the answers when no instance waits for them any more.
  package func forgetAnswers(to id: String) {
    for ending in [Self.answerEnding, Self.stopEnding] {
      unlink("\(folder)/\(Self.name(id))\(ending)")
    }
  }

  /// Removes what instances left behind that ended unexpectedly.
  /// - Parameter seconds: the least age of a removed file.
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
