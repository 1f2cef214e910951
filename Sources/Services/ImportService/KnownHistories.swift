import FoundationEssentials

/// The histories of other programs in their usual files and folders.
package enum KnownHistories {
  /// A path below the home folder, or below that of data.
  private struct Location {
    enum Folder { case home, data }
    let format: String
    let folder: Folder
    /// A star matches anything in one part of the path.
    let path: String
  }

  private static let known = [
    Location(format: "profanity", folder: .data, path: "profanity"),
    Location(format: "poezio", folder: .data, path: "poezio/logs"),
    Location(format: "mcabber", folder: .home, path: ".mcabber/histo"),
    Location(format: "gajim", folder: .data, path: "gajim/logs.db"),
    Location(format: "dino", folder: .data, path: "dino/dino.db"),
    Location(format: "pidgin", folder: .home, path: ".purple/logs"),
    Location(format: "psi", folder: .data, path: "psi*/profiles/*/history"),
  ]

  /// Returns the histories that are there.
  /// - Parameter environment: `HOME` and `XDG_DATA_HOME` are read.
  package static func sources(_ environment: [String: String]) -> [HistoryImporter.Source] {
    guard let home = environment["HOME"], home.hasPrefix("/") else { return [] }
    let named = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let data = named ?? home + "/.local/share"
    return known.flatMap { location -> [HistoryImporter.Source] in
      guard let format = HistoryFormats.format(named: location.format) else { return [] }
      let base = location.folder == .home ? home : data
      return matches(of: location.path.split(separator: "/")[...], in: base)
        .filter { format.recognizes($0) }
        .map { HistoryImporter.Source(path: $0, format: format) }
    }
  }

  private static func matches(of parts: ArraySlice<Substring>, in folder: String) -> [String] {
    guard let part = parts.first else {
      return HistoryFolder.kind(of: folder) == nil ? [] : [folder]
    }
    guard let star = part.firstIndex(of: "*") else {
      return matches(of: parts.dropFirst(), in: "\(folder)/\(part)")
    }
    let names = (try? HistoryFolder.names(in: folder)) ?? []
    return names.filter { $0.utf8.first != 0x2E && $0.hasPrefix(part[..<star]) }
      .map { "\(folder)/\($0)" }.filter { HistoryFolder.kind(of: $0, follows: false) == .folder }
      .flatMap { matches(of: parts.dropFirst(), in: $0) }
  }
}
