import FoundationEssentials
import NatterCore
import Text
import XMPP

/// One row of the list of files, its text final.
nonisolated package struct FileItem: Identifiable, Hashable, Sendable {
  /// The subject of a row.
  package enum ID: Hashable, Sendable {
    case heading(String)
    case transfer(FileTransfer.ID)
    case file(Message.ID)
    /// A sentence shown instead of an empty list.
    case hint
  }

  package let id: ID
  /// The glyph of the direction, or of a failure.
  package var glyph = ""
  package var name = ""
  /// The name of its conversation.
  package var conversation = ""
  package var date = ""
  package var size = ""
  /// Its location or its progress, as a word.
  package var state = ""
  /// Its progress, with a bar; empty if there is no transfer.
  package var progress = ""
  package var hasFailed = false

  package var isSelectable: Bool {
    switch id {
    case .transfer, .file: true
    case .heading, .hint: false
    }
  }
}

/// Converts files and transfers to rows, and to lines of details.
nonisolated struct FileItems {
  let format: ItemFormat
  let people: People
  let now: Date

  func item(of transfer: FileTransfer) -> FileItem {
    var item = FileItem(id: .transfer(transfer.id))
    let isUpload = transfer.direction == .upload
    item.glyph = isUpload ? format.glyphs.outgoing : format.glyphs.incoming
    if case .failed = transfer.state {
      item.glyph = format.glyphs.failed
      item.hasFailed = true
    }
    item.name = format.shown(ErrorText.oneLine(transfer.name))
    item.conversation = format.shown(people.name(of: transfer.conversation))
    item.size = transfer.byteCount.map { format.localizer.size($0) } ?? ""
    item.state = format.shortProgress(of: transfer)
    // The long text names commands: this tab has none.
    item.progress =
      switch transfer.state {
      case .waiting, .done: item.state
      case .paused:
        [format.bar(of: transfer), item.state].compactMap { $0 }.joined(separator: "  ")
      case .failed(let error): format.text(Self.notice(of: error))
      case .running: format.progress(of: transfer)
      }
    return item
  }

  /// Returns the reason of a failure. A reason that names a command names keys instead: in this
  /// tab, a slash opens the filter.
  static func notice(of error: NatterError) -> StatusNotice {
    let key = error.key == "error.files.noRoom" ? "files.noRoom" : error.key
    return StatusNotice(.error, key, error.arguments)
  }

  /// Returns why nothing can be done yet with the file of a transfer.
  static func notice(about transfer: FileTransfer) -> StatusNotice {
    if case .failed(let error) = transfer.state { return notice(of: error) }
    return StatusNotice(.info, "status.onItsWay", ["name": transfer.name])
  }

  /// Returns the file of a transfer that is a download and has failed.
  static func failedDownload(
    _ transfer: FileTransfer?, among files: [OfferedFile]
  ) -> OfferedFile? {
    guard let transfer, transfer.direction == .download, case .failed = transfer.state
    else { return nil }
    return files.first { $0.id == transfer.message }
  }

  /// - Parameter transfer: its download, if one is in progress.
  func item(of offered: OfferedFile, transfer: FileTransfer?) -> FileItem {
    let message = offered.message
    var item = FileItem(id: .file(message.id))
    item.glyph =
      message.direction == .outgoing ? format.glyphs.outgoing : format.glyphs.incoming
    item.name = format.shown(offered.file.safeName)
    item.conversation = format.shown(people.name(of: message.conversation))
    item.date = format.shortDay(message.sentAt, now: now)
    item.size = offered.file.size.map { format.localizer.size($0) } ?? ""
    if let transfer {
      item.state = format.shortProgress(of: transfer)
    } else if case .failed = message.delivery {
      item.state = format.localizer("files.state.failed")
      (item.glyph, item.hasFailed) = (format.glyphs.failed, true)
    } else if message.delivery == .queued {
      item.state = format.localizer("files.state.waiting")
    } else if message.direction == .outgoing {
      item.state = format.localizer("files.state.sent")
    } else {
      item.state = format.localizer(
        offered.localPath == nil ? "files.state.offered" : "files.state.here")
    }
    return item
  }

  /// Returns name, sender or recipient, time, and location.
  func lines(of offered: OfferedFile) -> [String] {
    let (message, file) = (offered.message, offered.file)
    let facts = format.facts(of: file)
    let what = format.localizer.list([file.safeName, facts].filter { !$0.isEmpty })
    let key = message.direction == .outgoing ? "files.sentTo" : "files.receivedFrom"
    let person =
      message.direction == .outgoing || message.sender.bare == message.conversation.bare
      ? people.name(of: message.conversation)
      : people.name(of: message.sender) + " (" + people.name(of: message.conversation) + ")"
    let when = format.day(message.sentAt, now: now) + " " + format.time(message.sentAt)
    return [
      what, format.localizer(key, ["name": person, "when": when]),
      offered.localPath ?? file.address,
    ]
  }

  func lines(of transfer: FileTransfer) -> [String] {
    let what = format.localizer.list(
      [
        ErrorText.oneLine(transfer.name), format.kind(ofMediaType: transfer.mediaType),
        transfer.byteCount.map { format.localizer.size($0) },
      ].compactMap { $0 })
    let key = transfer.direction == .upload ? "files.goesTo" : "files.comesFrom"
    return [
      what, format.localizer(key, ["name": people.name(of: transfer.conversation)]),
      {
        if case .failed(let error) = transfer.state {
          format.text(Self.notice(of: error))
        } else {
          transfer.path
        }
      }(),
    ]
  }
}

/// The part of the list of files that is in memory.
nonisolated struct FileWindow {
  static let pageSize = 100
  static let limit = 400

  /// In order, newest first.
  private(set) var files: [OfferedFile] = []
  /// True if the database may have files newer than the first here, or older than the last.
  private(set) var hasNewer = false
  private(set) var hasOlder = false

  /// Adds a page that was read from `position` on; files beyond the limit are dropped at the other
  /// end.
  mutating func take(_ page: [OfferedFile], at position: FilePosition, limit: Int) {
    let isFull = page.count >= limit
    switch position {
    case .newest: (files, hasNewer, hasOlder) = (page, false, isFull)
    case .oldest: (files, hasNewer, hasOlder) = (page, isFull, false)
    case .before:
      files += page
      hasOlder = isFull
      if files.count > Self.limit {
        files.removeFirst(files.count - Self.limit)
        hasNewer = true
      }
    case .after:
      files = page + files
      hasNewer = isFull
      if files.count > Self.limit {
        files.removeLast(files.count - Self.limit)
        hasOlder = true
      }
    }
  }

  /// Clears the window before a page at another position is loaded, which may have files on both
  /// sides.
  mutating func begin() { (files, hasNewer, hasOlder) = ([], true, true) }

  mutating func remove(_ ids: Set<Message.ID>) { files.removeAll { ids.contains($0.id) } }

  /// - Returns: whether the file is in the window.
  mutating func change(_ id: Message.ID, _ change: (inout OfferedFile) -> Void) -> Bool {
    guard let index = files.firstIndex(where: { $0.id == id }) else { return false }
    change(&files[index])
    return true
  }

  mutating func replace(_ message: Message) -> Bool {
    change(message.id) { $0 = OfferedFile(message, localPath: $0.localPath) ?? $0 }
  }
}
