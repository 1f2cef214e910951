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

  private static func isThere(_ path: String, in place: URL) -> Bool {
    FileManager.default.fileExists(atPath: place.appending(path: path).path)
  }

  /// Looks at `NATTER_RESOURCES`, at `share/natter` beside the program's `bin`, and, for a program in a checkout's
  /// build folder, at the checkout's `Resources`.
  /// - Parameter executable: the program's file, without links on the way to it.
  /// - Throws: `MissingResources`.
  static func directory(environment: [String: String], executable: URL) throws(MissingResources)
    -> URL
  {
    var places: [URL] = []
    if let path = environment["NATTER_RESOURCES"], !path.isEmpty {
      // Named on purpose: falling back to others would hide the mistake.
      places = [URL(filePath: path, directoryHint: .isDirectory)]
    } else {
      let bin = executable.deletingLastPathComponent()
      places.append(bin.deletingLastPathComponent().appending(path: "share/natter"))
      var parent = bin
      while parent.path != "/", !parent.lastPathComponent.hasPrefix(".build") {
        parent.deleteLastPathComponent()
      }
      if parent.path != "/" {
        places.append(parent.deletingLastPathComponent().appending(path: "Resources"))
      }
    }
    for place in places where Self.needed.allSatisfy({ Self.isThere($0, in: place) }) {
      return place
    }
    throw MissingResources(places: places.map(\.path))
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
