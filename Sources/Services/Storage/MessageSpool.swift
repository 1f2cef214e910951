import FoundationEssentials
import Glibc
import NatterCore
import SQLite
import XMPP

/// Messages that other instances of the same user pass to the instance that has an account's
/// database open: one file for each message.
package struct MessageSpool: Sendable {
  /// A message to send.
  package struct Entry: Hashable, Sendable {
    /// The origin-id (XEP-0359) with which it is sent.
    package let originID: String
    package let recipient: JID
    package let body: String
    /// The origin-ids under which another process may have stored it: it is not sent then.
    package var otherIDs: [String] = []
    /// The thread that it belongs to (XEP-0201); `nil`: that of the conversation.
    package var thread: Message.Thread?
    /// The time of its creation, by which messages are ordered.
    package let typedAt: Date
    /// The earliest time at which the server may have it, if sending was tried; the archive is
    /// searched for it before it is sent.
    package var attemptedAt: Date?
    /// The reason of the server's refusal, as a sentence; the message is not sent automatically
    /// then. `nil`: not refused.
    package var refusal: String?

    package init(
      originID: String, recipient: JID, body: String, typedAt: Date, attemptedAt: Date? = nil,
      refusal: String? = nil
    ) {
      self.originID = originID
      self.recipient = recipient
      self.body = body
      self.typedAt = typedAt
      self.attemptedAt = attemptedAt
      self.refusal = refusal
    }
  }

  /// The format of a file. Times are seconds since 1970.
  private struct Record: Codable {
    let id: String
    let to: String
    let body: String
    let typed: Double
    let attempted: Double?
    let refused: String?
    /// The id of the thread; an earlier version writes none.
    let thread: String?
    /// An earlier version writes none.
    let others: [String]?
  }

  /// The path of the folder with the files.
  package let folder: String
  private static let ending = ".json"
  private let unreadable: UnreadableFiles?

  /// - Parameter path: of the account's database.
  package init(besideDatabase path: String) { self.init(folder: path + ".outbox", nil) }

  private init(folder: String, _ unreadable: UnreadableFiles?) {
    (self.folder, self.unreadable) = (folder, unreadable)
  }

  /// Returns the same spool, which reports the files that cannot be read.
  /// - Parameter report: receives a line for the log, once for each file.
  package func reporting(_ report: @escaping @Sendable (String) -> Void) -> MessageSpool {
    MessageSpool(folder: folder, UnreadableFiles(report))
  }

  /// Creates the folder, accessible to its owner only.
  /// - Throws: `StorageError`.
  package func prepare() throws {
    do { try PrivatePath.makeDirectory(folder) } catch { throw StorageError(error, path: folder) }
  }

  /// Adds a message; it is on the disk, whole, when this returns.
  /// - Throws: `StorageError`.
  package func leave(_ entry: Entry) throws {
    try put(
      Record(
        id: entry.originID, to: entry.recipient.description, body: entry.body,
        typed: entry.typedAt.timeIntervalSince1970,
        attempted: entry.attemptedAt?.timeIntervalSince1970, refused: entry.refusal,
        thread: entry.thread?.id, others: entry.otherIDs.isEmpty ? nil : entry.otherIDs),
      as: name(of: entry))
  }

  /// Returns the messages, in the order of their creation. Other files are reported, and stay.
  package func entries() -> [Entry] {
    contents(Self.ending).compactMap { name -> Entry? in
      guard let record = read(name, as: Record.self) else { return nil }
      guard let recipient = JID(parsing: record.to) else {
        reportUnreadable(name, "its recipient is no address")
        return nil
      }
      var entry = Entry(
        originID: record.id, recipient: recipient, body: record.body,
        typedAt: Date(timeIntervalSince1970: record.typed),
        attemptedAt: record.attempted.map { Date(timeIntervalSince1970: $0) },
        refusal: record.refused)
      entry.thread = record.thread.flatMap { Message.Thread(id: $0) }
      entry.otherIDs = record.others ?? []
      // Under another name it could not be removed, and would be sent again.
      if self.name(of: entry) == name { return entry }
      reportUnreadable(name, "it has the name of another message")
      return nil
    }.sorted { ($0.typedAt, $0.originID) < ($1.typedAt, $1.originID) }
  }

  /// Removes a message that is stored in the database by now.
  /// - Throws: `StorageError`.
  package func remove(_ entry: Entry) throws { try remove(name(of: entry)) }

  private func name(of entry: Entry) -> String { Self.name(entry.originID) + Self.ending }

  // MARK: Files of the folder

  /// Returns the name, without its ending, of a file about the message of that origin-id.
  static func name(_ originID: String) -> String {
    String(originID.filter { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" })
  }

  /// Returns the names of the files with an ending.
  package func contents(_ ending: String) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(ending) }
    } catch {
      unreadable?.found(folder, "\(error)")
      return []
    }
  }

  /// Reports a file that cannot be used, once.
  /// - Parameter reason: contains nothing of the file.
  package func reportUnreadable(_ name: String, _ reason: String) {
    unreadable?.found("\(folder)/\(name)", reason)
  }

  /// - Returns: `nil` for a file that cannot be read, or of another format.
  func read<Value: Decodable>(_ name: String, as type: Value.Type) -> Value? {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)")) } catch {
      reportUnreadable(name, "\(error)")
      return nil
    }
    if let value = try? JSONDecoder().decode(type, from: data) { return value }
    reportUnreadable(name, "it has another format")
    return nil
  }

  /// Writes a file atomically.
  /// - Parameter isLasting: `true` if it is on the disk when this returns.
  /// - Throws: `StorageError`.
  func put(_ value: some Encodable, as name: String, isLasting: Bool = true) throws {
    try prepare()
    let path = "\(folder)/\(name)"
    let part = path + ".part"
    do {
      // A partial file of a program that ended while it wrote.
      unlink(part)
      try write(Array(JSONEncoder().encode(value)), to: part, isLasting: isLasting)
      guard rename(part, path) == 0 else { throw Self.failure(path) }
    } catch {
      unlink(part)
      throw StorageError(error, path: folder)
    }
    if isLasting { PrivatePath.syncNames(in: folder) }
  }

  /// - Throws: `StorageError`.
  func remove(_ name: String) throws {
    let path = "\(folder)/\(name)"
    guard unlink(path) == 0 || errno == ENOENT else {
      throw StorageError(Self.failure(path), path: path)
    }
  }

  private func write(
    _ bytes: [UInt8], to path: String, isLasting: Bool
  ) throws(SQLiteError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path) }
      rest = rest.dropFirst(count)
    }
    guard !isLasting || fsync(descriptor) == 0 else { throw Self.failure(path) }
  }

  private static func failure(_ path: String) -> SQLiteError {
    SQLiteError(callFailedAt: path)
  }
}
