/// A picture on this disk that can be looked at.
package struct PictureFile: Hashable, Sendable {
  /// Absolute.
  package let path: String
  /// `image/png` and the like, by its first bytes.
  package let mediaType: String
  /// In pixels, at least 1.
  package let width: Int
  package let height: Int
  package let byteCount: Int
  /// When it was changed last, in seconds since 1970: another file may come to the same path.
  package let changedAt: Int

  package init(
    path: String, mediaType: String, width: Int, height: Int, byteCount: Int, changedAt: Int = 0
  ) {
    self.path = path
    self.mediaType = mediaType
    self.width = width
    self.height = height
    self.byteCount = byteCount
    self.changedAt = changedAt
  }

  /// Files with more bytes or pixels are not drawn: whoever draws them has to unpack them first.
  package static let byteLimit = 32_000_000
  package static let pixelLimit = 50_000_000
}

/// What can be shown of a file without opening it.
package enum FilePreview: Hashable, Sendable {
  case picture(PictureFile)
  /// Its first lines, as they are.
  case text([String])
  /// It is neither.
  case nothing
  /// It cannot be read.
  case unreadable
}

/// A file or folder as its folder lists it.
package struct FolderFile: Hashable, Sendable {
  /// The name on the disk; may hold anything.
  package let name: String
  package let isFolder: Bool
  /// `nil` for folders, and for what is no plain file.
  package let byteCount: Int?

  package init(name: String, isFolder: Bool, byteCount: Int? = nil) {
    self.name = name
    self.isFolder = isFolder
    self.byteCount = byteCount
  }

  /// Whether it is shown only to whoever asks for it.
  package var isHidden: Bool { name.hasPrefix(".") }
}
