import FoundationEssentials

/// The places where other programs keep their histories.
package enum HistoryPlaces {
  /// A place, below the home folder or that of data.
  private struct Place {
    enum Base { case home, data }
    let format: String
    let base: Base
    /// A star stands for anything in one part of the path.
    let path: String
  }

  private static let known = [
    Place(format: "profanity", base: .data, path: "profanity"),
    Place(format: "poezio", base: .data, path: "poezio/logs"),
    Place(format: "mcabber", base: .home, path: ".mcabber/histo"),
    Place(format: "gajim", base: .data, path: "gajim/logs.db"),
    Place(format: "dino", base: .data, path: "dino/dino.db"),
    Place(format: "pidgin", base: .home, path: ".purple/logs"),
    Place(format: "psi", base: .data, path: "psi*/profiles/*/history"),
  ]

  /// Returns the known places in which there is a history.
  /// - Parameter environment: `HOME` and `XDG_DATA_HOME` are read.
  package static func sources(_ environment: [String: String]) -> [HistoryImporter.Source] {
    guard let home = environment["HOME"], home.hasPrefix("/") else { return [] }
    let named = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let data = named ?? home + "/.local/share"
    return known.flatMap { place -> [HistoryImporter.Source] in
      guard let format = HistoryFormats.format(named: place.format) else { return [] }
      let base = place.base == .home ? home : data
      return matches(of: place.path.split(separator: "/")[...], in: base)
        .filter { format.recognizes($0) }
        .map { HistoryImporter.Source(path: $0, format: format) }
    }
  }

  private static func matches(of parts: ArraySlice<Substring>, in folder: String) -> [String] {
    guard let part = parts.first else {
      return HistoryFiles.kind(of: folder) == nil ? [] : [folder]
    }
    guard let star = part.firstIndex(of: "*") else {
      return matches(of: parts.dropFirst(), in: "\(folder)/\(part)")
    }
    let entries = (try? HistoryFiles.folders(of: folder)) ?? []
    return entries.filter { HistoryFiles.name(of: $0).hasPrefix(part[..<star]) }
      .flatMap { matches(of: parts.dropFirst(), in: $0) }
  }
}
