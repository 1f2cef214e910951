import Glibc
import NatterCore

/// Distinguishes files that are only displayed from those that may run commands when they are
/// opened.
///
/// Desktop programs decide by the name first, and by the content if the name says nothing
/// (shared-mime-info); so does this type. Kinds that are not known to be harmless require a
/// question.
package enum FileCaution {
  /// Kinds whose programs only display them, by file name extension. Documents of these kinds may
  /// still contain macros, which the content shows.
  private static let harmless: Set<String> = [
    "7z", "aac", "amr", "avi", "avif", "bib", "bmp", "bz2", "csv", "diff", "docx", "epub", "flac",
    "gif", "gz", "heic", "heif", "ico", "ics", "jpe", "jpeg", "jpg", "json", "jxl", "log",
    "m4a", "m4v", "markdown", "md", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "odp", "ods", "odt",
    "oga", "ogg", "ogv", "opus", "patch", "pdf", "png", "pptx", "rar", "rst", "rtf", "srt", "tar",
    "tex", "tgz", "tif", "tiff", "toml", "tsv", "txt", "vcf", "vtt", "wav", "webm",
    "webp", "xlsx", "xz", "yaml", "yml", "zip", "zst", "3gp",
  ]
  /// The number of bytes that are examined, at the start and at the end of a file.
  private static let span = 1 << 20

  /// Returns whether the user is asked before the file at `path` is opened.
  @concurrent package static func isNeeded(for path: String) async -> Bool {
    // An unreadable file cannot be opened either; the program that opens it reports that.
    guard let bytes = try? DiskPath.bytes(of: path) else { return false }
    let descriptor = open(bytes, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var found = stat()
    guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return true }
    let head = part(of: descriptor, from: 0)
    let end = part(of: descriptor, from: max(0, Int(found.st_size) - span))
    return isNeeded(
      name: path.folderless, head: head, end: end, isExecutable: found.st_mode & 0o111 != 0)
  }

  static func isNeeded(name: String, head: [UInt8], end: [UInt8], isExecutable: Bool) -> Bool {
    if runs(head) { return true }
    guard let kind = kind(of: name) else {
      // Without an extension the content decides: text and pictures are displayed, everything else
      // requires the question.
      return isExecutable || !(isText(head) && !isPage(head) || isPicture(head))
    }
    guard harmless.contains(kind) else { return true }
    return isPacked(head) && (!holdsDirectory(end) || holdsMacros(head) || holdsMacros(end))
  }

  /// Returns the file name extension in the form that programs compare; `nil` if there is none.
  private static func kind(of name: String) -> String? {
    // By scalars: a letter before the dot can form one character with it (U+0D4E does), and
    // programs see the dot all the same.
    let scalars = stripped(name).unicodeScalars
    guard let dot = scalars.lastIndex(of: "."), dot > scalars.startIndex else { return nil }
    let kind = stripped(String(scalars[scalars.index(after: dot)...]))
    // The lower case of U+212A (kelvin) is ASCII, but programs do not fold it.
    return kind.utf8.allSatisfy { $0 < 0x80 } ? kind.lowercased() : kind
  }

  private static func stripped(_ text: some StringProtocol) -> String {
    let front = text.drop(while: \.isWhitespace)
    return String(front.reversed().drop(while: \.isWhitespace).reversed())
  }

  private static func part(of descriptor: CInt, from offset: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: span)
    var count = 0
    while count < span {
      let more = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: count), span - count, off_t(offset + count))
      }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { break }
      count += more
    }
    return Array(bytes[..<count])
  }

  /// Returns whether the content is a program, script, desktop entry or page, by its first bytes,
  /// regardless of the name.
  private static func runs(_ head: [UInt8]) -> Bool {
    let bom: [UInt8] = [0xEF, 0xBB, 0xBF]
    let rest = head.starts(with: bom) ? head.dropFirst(3) : head[...]
    let programs = ["#!", "\u{7F}ELF", "MZ"]
    if programs.contains(where: { rest.starts(with: $0.utf8) }) { return true }
    // Documents of formats before 2007, which may contain macros: programs open them by their
    // content, regardless of the name.
    if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] as [UInt8]) {
      return true
    }
    let start = rest.drop { $0 <= 0x20 }.prefix(1024)
    let text = String(decoding: start, as: UTF8.self).lowercased()
    return ["[desktop entry]", "<!doctype html", "<html", "<script", "<svg", "<?xml", "<?php"]
      .contains { text.hasPrefix($0) } || text.contains("\n[desktop entry]")
      || text.hasPrefix("<!--") && (text.contains("<html") || text.contains("<script"))
  }

  /// Returns whether programs that examine content take it for a page: they look beyond its first
  /// bytes.
  private static func isPage(_ head: [UInt8]) -> Bool {
    let text = String(decoding: head.prefix(1024), as: UTF8.self).lowercased()
    return ["<html", "<head", "<title", "<body", "<script", "<h1", "<!doctype"]
      .contains { text.contains($0) }
  }

  private static func isText(_ head: [UInt8]) -> Bool {
    head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
  }

  private static func isPicture(_ head: [UInt8]) -> Bool {
    [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("%PDF-".utf8)]
      .contains { head.starts(with: $0) }
      || head.starts(with: "RIFF".utf8) && head.dropFirst(8).starts(with: "WEBP".utf8)
  }

  private static func isPacked(_ head: [UInt8]) -> Bool { head.starts(with: "PK".utf8) }

  /// Returns whether a ZIP file ends with its central directory and `end` contains all of it
  /// (APPNOTE.TXT 4.3.16): further names may hide before a comment or in a longer directory.
  private static func holdsDirectory(_ end: [UInt8]) -> Bool {
    let length = 22
    guard end.count >= length, end.suffix(length).starts(with: [0x50, 0x4B, 5, 6] as [UInt8])
    else { return false }
    let size = (0..<4).reduce(0) { $0 | Int(end[end.count - 10 + $1]) << (8 * $1) }
    return size + length <= end.count
  }

  /// Returns whether a packed document has a part that is run (ECMA-376 `vbaProject.bin`,
  /// OpenDocument `Basic/`), or is a program under another name.
  private static func holdsMacros(_ bytes: [UInt8]) -> Bool {
    ["vbaProject", "Basic/", "Scripts/", "META-INF/MANIFEST.MF"].contains { name in
      holds(bytes, Array(name.utf8))
    }
  }

  private static func holds(_ bytes: [UInt8], _ name: [UInt8]) -> Bool {
    guard bytes.count >= name.count else { return false }
    return (0...bytes.count - name.count).contains {
      bytes[$0] == name[0] && bytes[$0..<$0 + name.count].elementsEqual(name)
    }
  }
}
