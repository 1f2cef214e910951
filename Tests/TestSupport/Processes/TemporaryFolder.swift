import Foundation

/// A private folder that is removed when it is let go of.
package final class TemporaryFolder: Sendable {
  package let root: URL

  /// - Parameter name: its purpose; a part of the folder's name.
  package init(_ name: String) throws {
    // Not below a long TMPDIR: sockets live here, and their paths end at 107 bytes.
    var template = Array("/tmp/natter-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let path = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    root = URL(filePath: path, directoryHint: .isDirectory)
  }

  deinit { remove() }

  package func url(_ name: String) -> URL { root.appending(path: name) }
  package func path(_ name: String) -> String { url(name).path }

  /// Makes the folder `name` in it, with those above it.
  @discardableResult
  package func makeFolder(_ name: String, mode: mode_t = 0o700) throws -> URL {
    try FileManager.default.createDirectory(
      at: url(name), withIntermediateDirectories: true,
      attributes: [.posixPermissions: NSNumber(value: mode)])
    return url(name)
  }

  /// Writes a file, with the folders above it.
  package func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
    let file = url(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    chmod(file.path, mode)
  }

  /// Writes a program that can be started at once, also by a shell, which does not retry. A file
  /// written by the test itself is open for a moment in any process that is started meanwhile, and
  /// cannot be executed then (ETXTBSY).
  package func writeProgram(_ text: String, to name: String) async throws {
    try write(text, to: name + ".text")
    try await CommandRun.check("install", ["-m", "700", path(name + ".text"), path(name)])
  }

  package func text(_ name: String) -> String? {
    try? String(contentsOf: url(name), encoding: .utf8)
  }

  /// Waits until a file has what `condition` asks for.
  /// - Throws: `NeverHeld` after `limit`.
  package func holds(
    _ name: String, upTo limit: Duration = .seconds(60), where condition: (String) -> Bool
  ) async throws {
    guard try await polls(upTo: limit, until: { condition(text(name) ?? "") }) else {
      throw NeverHeld(name: name, text: text(name))
    }
  }

  /// The content of a file that never had the expected one.
  package struct NeverHeld: Error {
    package let name: String
    package let text: String?
  }

  /// Every file below it, as paths relative to it, sorted.
  package var files: [String] {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
    return all.filter { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted()
  }

  package func remove() { try? FileManager.default.removeItem(at: root) }
}

/// A person's home: HOME and the XDG folders, private to one test, and the environment that says
/// so.
package struct Home: Sendable {
  package let folder: TemporaryFolder

  package init() throws {
    folder = try TemporaryFolder("home")
    for name in ["config", "data", "state", "cache", "runtime", "home"] {
      try folder.makeFolder(name)
    }
  }

  /// `$HOME`, where nothing should ever appear.
  package var home: URL { folder.url("home") }
  package var config: URL { folder.url("config/natter") }
  package var data: URL { folder.url("data/natter") }
  package var state: URL { folder.url("state/natter") }
  /// The state of the server that `natter --local` has started in it; `nil` until it runs.
  package var localServer: BuiltInServer.State? {
    BuiltInServer.State(in: data.appending(path: "local"))
  }

  /// Exactly what a program started in it gets.
  /// - Parameter more: added to it, or replacing its variables; an empty value removes the
  ///   variable.
  package func environment(
    terminal: String = "xterm-256color", language: String = "C.UTF-8",
    _ more: [String: String] = [:]
  ) -> [String: String] {
    [
      // As where Natter is installed: its shown commands contain no path of this machine.
      "PATH": Programs.searchPath + ":"
        + URL(filePath: Programs.natter).deletingLastPathComponent().path,
      "HOME": home.path, "TERM": terminal, "LANG": language,
      "XDG_CONFIG_HOME": folder.path("config"), "XDG_DATA_HOME": folder.path("data"),
      "XDG_STATE_HOME": folder.path("state"), "XDG_CACHE_HOME": folder.path("cache"),
      "XDG_RUNTIME_DIR": folder.path("runtime"), "TZ": "UTC",
    ].merging(more) { $1 }.filter { !$0.value.isEmpty }
  }
}
