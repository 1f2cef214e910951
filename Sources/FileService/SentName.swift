import BoundedText
import NatterCore

/// What others are told that a file is called.
enum SentName {
  /// The most bytes: as many as file systems take.
  private static let limit = 255

  /// The last part of `path` as it is, without what could do something to a screen, or hide. What else a disk somewhere does not
  /// take is changed there.
  static func of(_ path: String) -> String {
    // By scalars: a name may begin with a mark, which makes one character with the slash.
    let last = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
    // What is no text any more here was none on the disk.
    var kept = String.UnicodeScalarView()
    for scalar in last.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        // The joiner that emoji and some scripts need is one too.
        if scalar == "\u{200D}" { kept.append(scalar) }
      default: kept.append(scalar)
      }
    }
    // What bounded it may be among what was left out.
    let name = String(kept).bounded
    guard name.utf8.count <= limit, name.contains(where: { $0 != "." && !$0.isWhitespace }) else {
      return SharedFile.safe(name) ?? "file"
    }
    return name
  }
}
