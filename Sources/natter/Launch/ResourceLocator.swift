import FoundationEssentials

/// Themes and languages could not be found; says where they were looked for.
nonisolated struct MissingResources: Error, Equatable {
  let places: [String]
}

/// Finds the directory with `themes` and `locales`.
enum ResourceLocator {
  /// Looks at `NATTER_RESOURCES`, at `share/natter` beside the program's `bin`, and, for a program in a checkout's
  /// build folder, at the checkout's `Resources`.
  /// - Throws: `MissingResources`.
  static func directory(environment: [String: String], executable: URL) throws(MissingResources)
    -> URL
  {
    var places: [URL] = []
    if let path = environment["NATTER_RESOURCES"], !path.isEmpty {
      // Named on purpose: falling back to others would hide the mistake.
      places = [URL(filePath: path, directoryHint: .isDirectory)]
    } else {
      let bin = executable.resolvingSymlinksInPath().deletingLastPathComponent()
      places.append(bin.deletingLastPathComponent().appending(path: "share/natter"))
      var parent = bin
      while parent.path != "/", !parent.lastPathComponent.hasPrefix(".build") {
        parent.deleteLastPathComponent()
      }
      if parent.path != "/" {
        places.append(parent.deletingLastPathComponent().appending(path: "Resources"))
      }
    }
    for place in places
    where FileManager.default.fileExists(atPath: place.appending(path: "locales/en").path) {
      return place
    }
    throw MissingResources(places: places.map(\.path))
  }

  /// This program's file.
  static var executable: URL {
    URL(
      filePath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        ?? CommandLine.arguments[0])
  }
}
