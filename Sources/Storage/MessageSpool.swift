import FoundationEssentials
import Glibc
import NatterCore
import SQLite
import XMPP

/// Messages that other programs of the same person leave for the one that has an account's database open: one file for each.
package struct MessageSpool: Sendable {
  package struct Entry: Hashable, Sendable {
    package let originID: String
    package let recipient: JID
    package let body: String
    package let typedAt: Date
    /// Since when it may be at the server, where that was tried; it is looked for there before it is sent.
    package var attemptedAt: Date?
    /// Why the server refused it, as a sentence; it is not sent by itself then. `nil`: it did not.
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

  /// What a file says. Times are seconds since 1970.
  private struct Record: Codable {
    let id: String
    let to: String
    let body: String
    let typed: Double
    let attempted: Double?
    let refused: String?
  }

  /// Where the files are.
  package let folder: String
  private static let ending = ".json"

  /// - Parameter path: of the account's database.
  package init(besideDatabase path: String) { folder = path + ".outbox" }

  /// Makes the folder, for its owner alone.
  /// - Throws: `StorageError`.
  package func prepare() throws {
    do { try PrivateFile.makeDirectory(folder) } catch { throw StorageError(error, path: folder) }
  }

  /// Puts a message there; it is on the disk, whole, when this returns.
  /// - Throws: `StorageError`.
  package func leave(_ entry: Entry) throws {
    try put(
      Record(
        id: entry.originID, to: entry.recipient.description, body: entry.body,
        typed: entry.typedAt.timeIntervalSince1970,
        attempted: entry.attemptedAt?.timeIntervalSince1970, refused: entry.refusal),
      as: name(of: entry))
  }

  /// What is there, in the order of typing. A file that is none of these is left alone.
  package func entries() -> [Entry] {
    contents(Self.ending).compactMap { name -> Entry? in
      guard let record = read(name, as: Record.self), let recipient = JID(parsing: record.to)
      else { return nil }
      let entry = Entry(
        originID: record.id, recipient: recipient, body: record.body,
        typedAt: Date(timeIntervalSince1970: record.typed),
        attemptedAt: record.attempted.map { Date(timeIntervalSince1970: $0) },
        refusal: record.refused)
      return self.name(of: entry) == name ? entry : nil
    }.sorted { ($0.typedAt, $0.originID) < ($1.typedAt, $1.originID) }
  }

  /// Forgets a message that is stored elsewhere by now.
  /// - Throws: `StorageError`.
  package func remove(_ entry: Entry) throws { try remove(name(of: entry)) }

  private func name(of entry: Entry) -> String { Self.name(entry.originID) + Self.ending }

  // MARK: Files of the folder

  /// What a file is called, without its ending, that is about the message of that origin-id.
  static func name(_ originID: String) -> String {
    String(originID.filter { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" })
  }

  /// The names of a kind that are there.
  func contents(_ ending: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(ending) }
  }

  /// - Returns: `nil` for what is no such file.
  func read<Value: Decodable>(_ name: String, as type: Value.Type) -> Value? {
    guard let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")) else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }

  /// Puts a file there, all of it at once.
  /// - Parameter isLasting: whether it is on the disk when this returns.
  /// - Throws: `StorageError`.
  func put(_ value: some Encodable, as name: String, isLasting: Bool = true) throws {
    try prepare()
    let path = "\(folder)/\(name)"
    let part = path + ".part"
    do {
      // Of a program that ended while it wrote.
      unlink(part)
      try write(Array(JSONEncoder().encode(value)), to: part, isLasting: isLasting)
      guard rename(part, path) == 0 else { throw Self.failure(path) }
    } catch {
      unlink(part)
      throw StorageError(error, path: folder)
    }
    guard isLasting else { return }
    // The name is to outlast a power cut as well; where the file system cannot promise that, the words are there all the same.
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
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
