import Foundation
import NatterCore
import XMPP

/// The files of an account, in memory, with a record of what was asked.
package actor FakeFiles: FileSharing, FileHistoryReading {
  /// The newest first.
  package private(set) var stored: [OfferedFile]
  package private(set) var moving: [FileTransfer]
  /// The calls, in order: `open /tmp/a`, `forward 3 bob@example.net`.
  package private(set) var calls: [String] = []
  /// The number of transfers in each read, in order.
  package private(set) var reads: [Int] = []

  package init(_ stored: [OfferedFile] = [], moving: [FileTransfer] = []) {
    self.stored = stored.sorted { $0.message.position > $1.message.position }
    self.moving = moving
  }

  /// From now on these are on their way, or have failed.
  package func move(_ transfers: [FileTransfer]) { moving = transfers }

  package func add(_ file: OfferedFile) {
    stored = ([file] + stored).sorted { $0.message.position > $1.message.position }
  }

  package func remove(_ id: Message.ID) { stored.removeAll { $0.id == id } }

  /// Reports that the file of a message was downloaded to this disk.
  package func arrived(_ id: Message.ID, at path: String) {
    for index in stored.indices where stored[index].id == id { stored[index].localPath = path }
  }

  private var refused: Set<String> = []

  private func matching(_ filter: FileFilter) -> [OfferedFile] {
    stored.filter { offered in
      let (message, file) = (offered.message, offered.file)
      return (filter.conversation == nil || message.conversation == filter.conversation)
        && (filter.since.map { message.sentAt >= $0 } ?? true)
        && (filter.direction == nil || message.direction == filter.direction)
        && (filter.kind == nil
          || FileKind(mediaType: file.mediaType, name: file.name ?? file.address) == filter.kind)
        && (filter.text.isEmpty
          || file.safeName.lowercased().contains(filter.text.lowercased()))
    }
  }

  package func files(_ filter: FileFilter, at location: FilePosition, limit: Int) -> [OfferedFile] {
    reads.append(limit)
    let all = matching(filter)
    return switch location {
    case .newest: Array(all.prefix(limit))
    case .oldest: Array(all.suffix(limit))
    case .before(let position): Array(all.filter { $0.message.position < position }.prefix(limit))
    case .after(let position): Array(all.filter { $0.message.position > position }.suffix(limit))
    }
  }

  package func totals(of filter: FileFilter) -> FileTotals {
    let all = matching(filter)
    return FileTotals(
      count: all.count, byteCount: all.reduce(0) { $0 + ($1.file.byteCount ?? 0) })
  }

  package func conversations() -> [JID] {
    var seen: Set<JID> = []
    return stored.map(\.message.conversation).filter { seen.insert($0).inserted }
  }

  /// From now on this one cannot be sent.
  package func refuse(_ path: String) { refused.insert(path) }

  package func share(_ path: String, with conversation: JID) throws -> FileTransfer {
    guard !refused.contains(path) else {
      throw NatterError(.invalidInput, "error.files.missing", ["path": path])
    }
    calls.append("share \(path) \(conversation)")
    return FileTransfer(
      id: .init(99), direction: .upload, conversation: conversation, path: path, name: path,
      begun: Date(timeIntervalSince1970: 0))
  }

  package func share(_ paths: [String], with conversation: JID)
    -> [Result<FileTransfer, NatterError>]
  {
    paths.map { path in
      Result { () throws(NatterError) in
        do { return try share(path, with: conversation) } catch {
          throw NatterError(reporting: error, key: "error.files.upload")
        }
      }
    }
  }

  /// The small pictures that came with messages.
  package func add(thumbnail: [UInt8], of id: Message.ID) { thumbnails[id] = thumbnail }
  private var thumbnails: [Message.ID: [UInt8]] = [:]

  package func thumbnail(of message: Message) -> [UInt8]? { thumbnails[message.id] }

  package func fetch(_ message: Message, to path: String?) throws -> FileTransfer {
    calls.append("fetch \(message.id.rawValue) \(path ?? "-")")
    return FileTransfer(
      id: .init(100 + message.id.rawValue), direction: .download,
      conversation: message.conversation, path: path ?? "/down/x",
      name: message.file?.safeName ?? "", message: message.id,
      begun: Date(timeIntervalSince1970: 0))
  }

  package func forward(_ message: Message, to conversation: JID) throws {
    calls.append("forward \(message.id.rawValue) \(conversation)")
  }

  package func localPath(of message: Message) -> String? {
    stored.first { $0.id == message.id }?.localPath
  }
  package func transfers(in conversation: JID?) -> [FileTransfer] {
    moving.filter { conversation == nil || $0.conversation == conversation }
  }
  package func pause(_ id: FileTransfer.ID) { calls.append("pause \(id.rawValue)") }
  package func resume(_ id: FileTransfer.ID) { calls.append("resume \(id.rawValue)") }
  @discardableResult package func retry(_ id: FileTransfer.ID) -> Bool {
    calls.append("retry \(id.rawValue)")
    return !moving.contains { $0.id == id && refused.contains($0.path) }
  }
  /// From now on nothing can be cancelled any more.
  package func offerAll() { isLate = true }
  private var isLate = false

  package func cancel(_ id: FileTransfer.ID) throws {
    guard !isLate else { throw NatterError(.refused, "error.files.offered", ["name": "x"]) }
    calls.append("cancel \(id.rawValue)")
  }
  package func files(in conversation: JID, limit: Int) -> [Message] {
    stored.filter { $0.message.conversation == conversation }.prefix(limit).map(\.message)
  }
}
