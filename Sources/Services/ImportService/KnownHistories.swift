import FoundationEssentials
import XMPP

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

  /// Returns the folder that a location is below, without a final slash; `nil`: not known.
  private static func folder(of location: Location, _ environment: [String: String]) -> String? {
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    if location.folder == .home { return home }
    let named = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return named ?? home + "/.local/share"
  }

  /// Returns the paths that are searched; a star matches any name.
  /// - Parameter environment: `HOME` and `XDG_DATA_HOME` are read.
  package static func paths(_ environment: [String: String]) -> [String] {
    known.compactMap { location in
      folder(of: location, environment).map { "\($0)/\(location.path)" }
    }
  }

  /// Returns the histories that are there.
  /// - Parameter environment: `HOME` and `XDG_DATA_HOME` are read.
  package static func sources(_ environment: [String: String]) -> [HistoryImporter.Source] {
    known.flatMap { location -> [HistoryImporter.Source] in
      guard let base = folder(of: location, environment),
        let format = HistoryFormats.format(named: location.format)
      else { return [] }
      return matches(of: location.path.split(separator: "/")[...], in: base)
        .filter { format.recognizes($0) }
        .map { HistoryImporter.Source(path: $0, format: format) }
    }
  }

  /// Reads a history without storing anything.
  /// - Returns: the report: its `messages` are those of all accounts.
  package static func report(
    on source: HistoryImporter.Source, _ context: ImportContext
  ) async throws -> ImportReport {
    // Messages of any account count, so the account does not matter.
    let account = JID(local: nil, domain: "localhost")
    return try await HistoryImporter(store: nil).run(
      source, ImportSelection(account: account), context)
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
