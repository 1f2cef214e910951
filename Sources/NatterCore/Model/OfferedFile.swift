import FoundationEssentials
import XMPP

/// A file that was sent or received: the message that offers it, and where it is on this disk.
package struct OfferedFile: Identifiable, Hashable, Sendable {
  package let message: Message
  package let file: SharedFile
  /// An absolute path; `nil`: it is not here, or not any more.
  package var localPath: String?

  package var id: Message.ID { message.id }

  /// - Returns: `nil` when `message` offers none.
  package init?(_ message: Message, localPath: String? = nil) {
    guard let file = message.file else { return nil }
    self.message = message
    self.file = file
    self.localPath = localPath
  }
}

/// What a file is for a person, by its type or, without one, by the ending of its name.
package enum FileKind: String, Hashable, Sendable, CaseIterable {
  case picture
  /// Sound and film.
  case media
  /// Everything else.
  case document

  /// The endings that tell a kind where no type does, in lower case.
  package static let pictureEndings = [
    "avif", "bmp", "gif", "heic", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp",
  ]
  package static let mediaEndings = [
    "avi", "flac", "m4a", "mkv", "mov", "mp3", "mp4", "oga", "ogg", "ogv", "opus", "wav", "webm",
  ]

  /// - Parameter name: the file's, or its address.
  package init(mediaType: String?, name: String) {
    if let type = mediaType?.lowercased(), !type.isEmpty {
      self =
        type.hasPrefix("image/")
        ? .picture : type.hasPrefix("audio/") || type.hasPrefix("video/") ? .media : .document
      return
    }
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    self =
      Self.pictureEndings.contains(ending)
      ? .picture : Self.mediaEndings.contains(ending) ? .media : .document
  }
}

/// Which of the files are meant; what is `nil` or empty leaves nothing out.
package struct FileFilter: Hashable, Sendable {
  package var kind: FileKind?
  package var direction: Message.Direction?
  package var conversation: JID?
  /// None that was offered before this.
  package var since: Date?
  /// What their names have in them, whatever its case.
  package var text: String

  package init(
    kind: FileKind? = nil, direction: Message.Direction? = nil, conversation: JID? = nil,
    since: Date? = nil, text: String = ""
  ) {
    self.kind = kind
    self.direction = direction
    self.conversation = conversation
    self.since = since
    self.text = text
  }
}

/// From where in the list of files a page is read.
package enum FilePlace: Hashable, Sendable {
  case newest, oldest
  /// Those just older than a place, and just newer.
  case before(MessagePosition)
  case after(MessagePosition)
}

/// How many files there are, and how much they are.
package struct FileTotals: Hashable, Sendable {
  package let count: Int
  /// Of those whose size is known.
  package let byteCount: Int

  package init(count: Int, byteCount: Int) {
    self.count = count
    self.byteCount = byteCount
  }
}
