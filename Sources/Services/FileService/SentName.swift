import BoundedText
import NatterCore

/// The file name that recipients see.
enum SentName {
  /// The maximum length in bytes: the limit of file systems.
  private static let limit = 255

  /// Returns the last part of `path`, without invisible and control characters that could affect a
  /// screen. Characters that some other file systems reject are replaced by the recipient.
  static func of(_ path: String) -> String {
    // By scalars: a name may begin with a combining mark, which forms one character with the slash.
    let last = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
    // U+FFFD stays: it represents bytes that were not UTF-8 on the disk.
    var kept = String.UnicodeScalarView()
    for scalar in last.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        // U+200D has this category, too, and emoji and some scripts need it.
        if scalar == "\u{200D}" { kept.append(scalar) }
      default: kept.append(scalar)
      }
    }
    // `bounded` again, because removed characters may have separated a long cluster.
    let name = String(kept).bounded
    guard name.utf8.count <= limit, name.contains(where: { $0 != "." && !$0.isWhitespace }) else {
      return SharedFile.safe(name) ?? "file"
    }
    return name
  }
}
