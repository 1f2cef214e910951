import FoundationEssentials
import NatterCore
import XMPP

/// One row of the list of files, its text final.
nonisolated package struct FileItem: Identifiable, Hashable, Sendable {
  package enum ID: Hashable, Sendable {
    case heading(String)
    case transfer(FileTransfer.ID)
    case file(Message.ID)
    /// A sentence where there is nothing to list.
    case hint
  }

  package let id: ID
  /// Which way it went, or that something went wrong.
  package var sign = ""
  package var name = ""
  /// Whose conversation it is of.
  package var conversation = ""
  package var date = ""
  package var size = ""
  /// Where it is, or how far, in a word.
  package var state = ""
  /// How far it is, with a bar; empty for what is not on its way.
  package var progress = ""
  package var hasFailed = false

  package var isSelectable: Bool {
    switch id {
    case .transfer, .file: true
    case .heading, .hint: false
    }
  }
}

/// Turns files and transfers into rows, and into the lines that tell more of one.
nonisolated struct FileItems {
  let format: ItemFormat
  let people: People
  let now: Date

  func item(of transfer: FileTransfer) -> FileItem {
    var item = FileItem(id: .transfer(transfer.id))
    let isUpload = transfer.direction == .upload
    item.sign = isUpload ? format.glyphs.outgoing : format.glyphs.incoming
    if case .failed = transfer.state {
      item.sign = format.glyphs.failed
      item.hasFailed = true
    }
    item.name = format.shown(ErrorText.oneLine(transfer.name))
    item.conversation = format.shown(people.name(of: transfer.conversation))
    item.size = transfer.byteCount.map { format.localizer.size($0) } ?? ""
    item.state = format.shortProgress(of: transfer)
    // What commands could be typed in a chat is of no use here: there are keys.
    item.progress =
      switch transfer.state {
      case .waiting, .done: item.state
      case .paused:
        [format.bar(of: transfer), item.state].compactMap { $0 }.joined(separator: "  ")
      case .failed(let error): format.text(error.notice)
      case .running: format.progress(of: transfer)
      }
    return item
  }

  /// - Parameter transfer: on its way to this disk, where it is.
  func item(of offered: OfferedFile, transfer: FileTransfer?) -> FileItem {
    let message = offered.message
    var item = FileItem(id: .file(message.id))
    item.sign =
      message.direction == .outgoing ? format.glyphs.outgoing : format.glyphs.incoming
    item.name = format.shown(offered.file.safeName)
    item.conversation = format.shown(people.name(of: message.conversation))
    item.date = format.shortDay(message.sentAt, now: now)
    item.size = offered.file.size.map { format.localizer.size($0) } ?? ""
    if let transfer {
      item.state = format.shortProgress(of: transfer)
    } else if case .failed = message.delivery {
      item.state = format.localizer("files.state.failed")
      (item.sign, item.hasFailed) = (format.glyphs.failed, true)
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

  /// What, from or to whom and when, and where it is.
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
          format.text(error.notice)
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

  /// The newest first.
  private(set) var files: [OfferedFile] = []
  /// Whether the database may have newer ones than the first here, or older ones than the last.
  private(set) var hasNewer = false
  private(set) var hasOlder = false

  /// Takes a page that was read from `place` on; what is too much goes on the side that is not being read.
  mutating func take(_ page: [OfferedFile], at place: FilePlace, limit: Int) {
    let isFull = page.count >= limit
    switch place {
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

  /// Forgets what is here for another place in the list, above which there may be more.
  mutating func begin() { (files, hasNewer, hasOlder) = ([], true, true) }

  mutating func remove(_ ids: Set<Message.ID>) { files.removeAll { ids.contains($0.id) } }

  /// - Returns: whether it is in the window.
  mutating func change(_ id: Message.ID, _ change: (inout OfferedFile) -> Void) -> Bool {
    guard let index = files.firstIndex(where: { $0.id == id }) else { return false }
    change(&files[index])
    return true
  }

  mutating func replace(_ message: Message) -> Bool {
    change(message.id) { $0 = OfferedFile(message, localPath: $0.localPath) ?? $0 }
  }
}
