import FoundationEssentials
import Glibc

/// Themes and languages could not be found; lists the searched folders.
nonisolated struct MissingResources: Error, Equatable {
  let locations: [String]
}

/// Finds the directory with `themes` and `locales`.
enum ResourceLocator {
  /// The files that a complete directory has: the texts, and the theme that all others build on.
  private static let needed = ["locales/en", "themes/night.toml"]

  private static func isComplete(_ location: String) -> Bool {
    needed.allSatisfy {
      var facts = stat()
      return stat(location + "/" + $0, &facts) == 0
    }
  }

  /// Searches `NATTER_RESOURCES`, `share/natter` beside the program's `bin`, and, for a program in
  /// a checkout's build folder, the checkout's `Resources`; that folder may have any name, and be a
  /// symbolic link.
  /// - Parameters:
  ///   - executable: the program's file, without symbolic links in its path.
  ///   - name: the name that the program was started by.
  /// - Throws: `MissingResources`.
  static func directory(environment: [String: String], executable: URL, name: String = "")
    throws(MissingResources) -> URL
  {
    if let path = environment["NATTER_RESOURCES"], !path.isEmpty {
      let named = URL(filePath: path, directoryHint: .isDirectory)
      // Named on purpose: falling back to others would hide the mistake.
      guard isComplete(named.path) else { throw MissingResources(locations: [named.path]) }
      return named
    }
    // As text: each step with URLs takes longer than all of this.
    let bin = folder(of: executable.path)
    var locations = [folder(of: bin) + "/share/natter"]
    var parent = bin
    while !parent.isEmpty, !parent.dropFirst(folder(of: parent).count).hasPrefix("/.build") {
      parent = folder(of: parent)
    }
    if !parent.isEmpty { locations.append(folder(of: parent) + "/Resources") }
    // Only if the others fail: this checks for a file at each step.
    for start in [bin, startFolder(of: name, environment)]
    where !locations.contains(where: isComplete) {
      locations += checkouts(above: start).filter { !locations.contains($0) }
    }
    guard let location = locations.first(where: isComplete) else {
      throw MissingResources(locations: locations)
    }
    return URL(filePath: location, directoryHint: .notDirectory)
  }

  /// The `Resources` folders of the checkouts that contain a folder.
  private static func checkouts(above folder: String) -> [String] {
    var found: [String] = []
    var parent = folder
    while !parent.isEmpty {
      if access(parent + "/Package.swift", F_OK) == 0, access(parent + "/Resources", F_OK) == 0 {
        found.append(parent + "/Resources")
      }
      parent = Self.folder(of: parent)
    }
    return found
  }

  /// The folder of the program that a shell starts as `name`, symbolic links not resolved; empty
  /// where there is none.
  private static func startFolder(of name: String, _ environment: [String: String]) -> String {
    if name.hasPrefix("/") { return folder(of: name) }
    let here = FileManager.default.currentDirectoryPath
    if name.contains("/") { return folder(of: here + "/" + name) }
    let folders = (environment["PATH"] ?? "").split(separator: ":").map {
      $0.hasPrefix("/") ? String($0) : here + "/" + $0
    }
    return folders.first { !name.isEmpty && access($0 + "/" + name, X_OK) == 0 } ?? ""
  }

  /// The folder that contains a file or a folder; empty for an entry of the root, and for the root.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// This program's file, symbolic links resolved.
  static var executable: URL {
    let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { space, count in
      guard let base = UnsafeMutableRawPointer(space.baseAddress) else { return }
      count = max(
        0, readlink("/proc/self/exe", base.assumingMemoryBound(to: CChar.self), space.count))
    }
    // The kernel returns it without symbolic links.
    guard !path.isEmpty else {
      return URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    }
    return URL(filePath: String(decoding: path, as: UTF8.self))
  }
}
