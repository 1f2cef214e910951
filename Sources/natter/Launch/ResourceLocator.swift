import FoundationEssentials
import Glibc

/// Themes and languages could not be found; says where they were looked for.
nonisolated struct MissingResources: Error, Equatable {
  let places: [String]
}

/// Finds the directory with `themes` and `locales`.
enum ResourceLocator {
  /// What a place has that is complete: the texts, and the theme that everything begins with.
  private static let needed = ["locales/en", "themes/night.toml"]

  private static func isComplete(_ place: String) -> Bool {
    needed.allSatisfy {
      var facts = stat()
      return stat(place + "/" + $0, &facts) == 0
    }
  }

  /// Looks at `NATTER_RESOURCES`, at `share/natter` beside the program's `bin`, and, for a program in a checkout's
  /// build folder, at the checkout's `Resources`.
  /// - Parameter executable: the program's file, without links on the way to it.
  /// - Throws: `MissingResources`.
  static func directory(environment: [String: String], executable: URL) throws(MissingResources)
    -> URL
  {
    if let path = environment["NATTER_RESOURCES"], !path.isEmpty {
      let named = URL(filePath: path, directoryHint: .isDirectory)
      // Named on purpose: falling back to others would hide the mistake.
      guard isComplete(named.path) else { throw MissingResources(places: [named.path]) }
      return named
    }
    // As text: each step of a URL takes longer than all of this.
    let bin = folder(of: executable.path)
    var places = [folder(of: bin) + "/share/natter"]
    var parent = bin
    while !parent.isEmpty, !parent.dropFirst(folder(of: parent).count).hasPrefix("/.build") {
      parent = folder(of: parent)
    }
    if !parent.isEmpty { places.append(folder(of: parent) + "/Resources") }
    guard let place = places.first(where: isComplete) else {
      throw MissingResources(places: places)
    }
    return URL(filePath: place, directoryHint: .notDirectory)
  }

  /// The folder that a file or a folder is in; empty for what is in the uppermost, and for that.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// This program's file, links followed.
  static var executable: URL {
    let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { space, count in
      guard let base = UnsafeMutableRawPointer(space.baseAddress) else { return }
      count = max(
        0, readlink("/proc/self/exe", base.assumingMemoryBound(to: CChar.self), space.count))
    }
    // The kernel names it without links.
    guard !path.isEmpty else {
      return URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    }
    return URL(filePath: String(decoding: path, as: UTF8.self))
  }
}
