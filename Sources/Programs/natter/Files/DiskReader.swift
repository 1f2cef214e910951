import BoundedText
import Crypto
import FileService
import FoundationEssentials
import Glibc
import NatterCore

/// Reads folders, and the beginnings of files, off the main actor.
actor DiskReader: FileLooking {
  /// The bytes of a text that its preview needs.
  private static let textLimit = 16 << 10
  private static let lineLimit = 200

  /// The folder for small pictures that came with messages, from which they are drawn; `nil`: there
  /// is none. They can be deleted at any time.
  private let thumbnails: URL?
  private let crypto: CryptoLibrary
  private var isSwept = false
  /// The age in seconds at which an unused thumbnail is deleted.
  private static let thumbnailAge: TimeInterval = 30 * 86_400
  /// The greatest width and height of a thumbnail: no more has to be unpacked to draw it.
  private static let thumbnailPixels = 1024

  init(thumbnails: URL? = nil, crypto: CryptoLibrary = CryptoLibrary()) {
    (self.thumbnails, self.crypto) = (thumbnails, crypto)
  }

  func picture(_ bytes: [UInt8]) -> PictureFile? {
    guard let thumbnails, let header = PictureHeader(bytes),
      ["image/png", "image/jpeg"].contains(header.mediaType),
      let width = header.width, let height = header.height,
      (1...Self.thumbnailPixels).contains(width), (1...Self.thumbnailPixels).contains(height),
      let hash = try? crypto.hash(bytes, by: .sha256)
    else { return nil }
    let file = thumbnails.appending(path: hex(hash))
    let manager = FileManager.default
    // On failure the card shows a description instead.
    do {
      try manager.createDirectory(
        at: thumbnails, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      sweep(thumbnails)
      if !manager.fileExists(atPath: file.path) {
        try Data(bytes).write(to: file, options: .atomic)
      }
    } catch {
      return nil
    }
    guard case .picture(let found) = preview(of: file.path) else { return nil }
    return found
  }

  /// Deletes thumbnails that have not been used for long, once per run.
  private func sweep(_ folder: URL) {
    guard !isSwept else { return }
    isSwept = true
    let oldest = Date().timeIntervalSince1970 - Self.thumbnailAge
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      let path = folder.appending(path: name).path
      var facts = stat()
      if lstat(path, &facts) == 0, TimeInterval(facts.st_mtim.tv_sec) < oldest { unlink(path) }
    }
  }

  func files(in folder: String) throws -> [FolderFile] {
    var files = try Folder.files(in: folder, hasSizes: true).map {
      (key: $0.name.lowercased(), file: $0)
    }
    files.sort {
      $0.file.isFolder != $1.file.isFolder
        ? $0.file.isFolder : ($0.key, $0.file.name) < ($1.key, $1.file.name)
    }
    return files.map(\.file)
  }

  func preview(of path: String) -> FilePreview {
    // Opening a FIFO would block until something writes to it.
    guard let bytes = try? DiskPath.bytes(of: path) else { return .unreadable }
    let descriptor = open(bytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return .unreadable }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return .unreadable }
    guard facts.st_mode & S_IFMT == S_IFREG else { return .nothing }
    var beginning = Self.beginning(of: descriptor, limit: Self.textLimit)
    if let header = PictureHeader(beginning) {
      var found = header
      if header.width == nil {
        beginning += Self.beginning(
          of: descriptor, limit: PictureHeader.mostRead - beginning.count)
        found = PictureHeader(beginning) ?? header
      }
      guard let width = found.width, let height = found.height, width > 0, height > 0 else {
        return .nothing
      }
      return .picture(
        PictureFile(
          path: path, mediaType: found.mediaType, width: width, height: height,
          byteCount: Int(facts.st_size), changedAt: Int(facts.st_mtim.tv_sec)))
    }
    guard let text = Self.text(beginning) else { return .nothing }
    let lines = text.split(
      maxSplits: Self.lineLimit, omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return .text(lines.prefix(Self.lineLimit).map { String($0.prefix(500)) })
  }

  /// All bytes of a picture, unless its file has changed since the preview.
  func bytes(of picture: PictureFile) -> [UInt8]? {
    guard case .picture(picture) = preview(of: picture.path),
      let data = try? Data(contentsOf: URL(filePath: picture.path)),
      data.count == picture.byteCount
    else { return nil }
    return Array(data)
  }

  /// The next bytes of a file.
  private static func beginning(of descriptor: CInt, limit: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, limit))
    var count = 0
    while count < bytes.count {
      let start = count
      let more = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
      }
      guard more > 0 else { break }
      count += more
    }
    return Array(bytes[..<count])
  }

  /// `nil` when it is not UTF-8 text.
  private static func text(_ bytes: [UInt8]) -> String? {
    guard !bytes.contains(0) else { return nil }
    // The end may have cut a character in two.
    for missing in 0...min(3, bytes.count) {
      if let text = String(validating: bytes.dropLast(missing), as: UTF8.self) {
        return text.bounded
      }
    }
    return nil
  }
}

/// The contents of a folder, from the system.
nonisolated enum Folder {
  /// - Parameters:
  ///   - limit: the greatest number of entries that are read.
  ///   - hasSizes: whether the size of each file is read.
  /// - Throws: `NatterError` when the folder cannot be read.
  static func files(
    in folder: String, limit: Int = 200_000, hasSizes: Bool
  ) throws -> [FolderFile] {
    guard let stream = opendir(try DiskPath.bytes(of: folder)) else { throw failure(errno, folder) }
    defer { closedir(stream) }
    let descriptor = dirfd(stream)
    var found: [FolderFile] = []
    while found.count < limit, let entry = readdir(stream) {
      var type = Int(entry.pointee.d_type)
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      var size: Int?
      var facts = stat()
      let isUnclear = type == Int(DT_LNK) || type == Int(DT_UNKNOWN)
      if isUnclear || (hasSizes && type == Int(DT_REG)) {
        // A symbolic link counts as its target. The name's raw bytes are used, which may be no
        // valid text.
        let isFound = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
            fstatat(descriptor, $0, &facts, 0) == 0
          }
        }
        if isFound {
          let kind = facts.st_mode & S_IFMT
          if isUnclear { type = kind == S_IFDIR ? Int(DT_DIR) : Int(DT_REG) }
          if kind == S_IFREG { size = Int(facts.st_size) }
        } else if type == Int(DT_LNK) {
          type = Int(DT_REG)
        }
      }
      found.append(
        FolderFile(name: name, isFolder: type == Int(DT_DIR), byteCount: hasSizes ? size : nil))
    }
    return found
  }

  private static func failure(_ code: CInt, _ path: String) -> NatterError {
    let key =
      switch code {
      case EACCES, EPERM: "error.folder.denied"
      case ENOENT: "error.folder.gone"
      case ENOTDIR: "error.folder.file"
      default: "error.folder.unreadable"
      }
    return NatterError(
      .invalidInput, key, ["path": path, "reason": String(code)])
  }
}
