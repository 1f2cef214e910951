/// A picture on the local disk that can be displayed.
package struct PictureFile: Hashable, Sendable {
  /// Absolute.
  package let path: String
  /// The type by its first bytes, such as `image/png`.
  package let mediaType: String
  /// In pixels, at least 1.
  package let width: Int
  package let height: Int
  package let byteCount: Int
  /// The time of the last modification, in seconds since 1970: another file may replace it under
  /// the same path.
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

  /// Files with more bytes or pixels are not drawn, because they have to be decoded first.
  package static let byteLimit = 32_000_000
  package static let pixelLimit = 50_000_000
}

/// The preview of a file.
package enum FilePreview: Hashable, Sendable {
  case picture(PictureFile)
  /// The first lines, unmodified.
  case text([String])
  /// Neither a picture nor text.
  case nothing
  /// The file cannot be read.
  case unreadable
}

/// A file or folder of a folder's listing.
package struct FolderFile: Hashable, Sendable {
  /// The name on the disk; may contain any character.
  package let name: String
  package let isFolder: Bool
  /// `nil` for folders, and for anything but regular files.
  package let byteCount: Int?

  package init(name: String, isFolder: Bool, byteCount: Int? = nil) {
    self.name = name
    self.isFolder = isFolder
    self.byteCount = byteCount
  }

  /// Indicates whether it is listed only on request.
  package var isHidden: Bool { name.hasPrefix(".") }
}
