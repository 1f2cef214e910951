import FoundationEssentials
import XMPP

/// A file that was sent or received, with the message that offers it and its local path.
package struct OfferedFile: Identifiable, Hashable, Sendable {
  package let message: Message
  package let file: SharedFile
  /// An absolute path; `nil` if the file is not here, or not any more.
  package var localPath: String?

  package var id: Message.ID { message.id }

  /// - Returns: `nil` if `message` offers no file.
  package init?(_ message: Message, localPath: String? = nil) {
    guard let file = message.file else { return nil }
    self.message = message
    self.file = file
    self.localPath = localPath
  }
}

/// The kind of a file for display, by its media type or, without one, by the extension of its name.
package enum FileKind: String, Hashable, Sendable, CaseIterable {
  case picture
  /// Audio and video.
  case media
  /// Everything else.
  case document

  /// The lower-case extensions that determine the kind in the absence of a media type.
  package static let pictureEndings = [
    "avif", "bmp", "gif", "heic", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp",
  ]
  package static let mediaEndings = [
    "avi", "flac", "m4a", "mkv", "mov", "mp3", "mp4", "oga", "ogg", "ogv", "opus", "wav", "webm",
  ]

  /// - Parameter name: the name of the file, or its URL.
  package init(mediaType: String?, name: String) {
    if let type = mediaType?.lowercased(), !type.isEmpty {
      self =
        type.hasPrefix("image/")
        ? .picture : type.hasPrefix("audio/") || type.hasPrefix("video/") ? .media : .document
      return
    }
    // A URL may be as long as a stanza, and an extension has few bytes.
    let end = name.utf8.suffix(16)
    let dot = end.lastIndex(of: UInt8(ascii: "."))
    let ending = dot.map { name[name.utf8.index(after: $0)...].lowercased() } ?? ""
    self =
      Self.pictureEndings.contains(ending)
      ? .picture : Self.mediaEndings.contains(ending) ? .media : .document
  }
}

/// A filter of the list of files; a property that is `nil` or empty excludes nothing.
package struct FileFilter: Hashable, Sendable {
  package var kind: FileKind?
  package var direction: Message.Direction?
  package var conversation: JID?
  /// Excludes files that were offered before this time.
  package var since: Date?
  /// A text that their names contain, in any case.
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

/// The start of a page of the list of files.
package enum FilePosition: Hashable, Sendable {
  case newest, oldest
  /// The files just older or just newer than a position.
  case before(MessagePosition)
  case after(MessagePosition)
}

/// The number and the total size of files.
package struct FileTotals: Hashable, Sendable {
  package let count: Int
  /// Of the files with a known size.
  package let byteCount: Int

  package init(count: Int, byteCount: Int) {
    self.count = count
    self.byteCount = byteCount
  }
}
