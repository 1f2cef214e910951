import FoundationEssentials
import Glibc

/// A directory of the profile cannot be used; `key` and `arguments` form the sentence for the user.
struct PathError: Error, Equatable {
  let key: String
  let arguments: [String: String]
  /// An invalid name on the command line is wrong usage; everything else is a matter of this
  /// computer's configuration.
  var code = ExitCode.badConfiguration
}

/// The locations of this profile's files (XDG base directories; natter(1), FILES).
struct Paths: Equatable {
  let config: URL
  let data: URL
  let state: URL
  let cache: URL
  let runtime: URL
  /// The configuration file; `--config` may name another.
  let configurationFile: URL

  /// - Throws: `PathError` when a variable is relative or no home is known.
  init(environment: [String: String], profile: String?, config: String?) throws(PathError) {
    if let profile, !Self.isGood(profile: profile) {
      throw PathError(
        key: "cli.bad-profile", arguments: ["profile": profile], code: .usage)
    }
    func directory(_ variable: String, _ fallback: String) throws(PathError) -> URL {
      // As text: each step with URLs takes longer than all of this.
      var base: String
      if let path = environment[variable], !path.isEmpty {
        guard path.hasPrefix("/") else {
          throw PathError(
            key: "cli.relative-path", arguments: ["variable": variable, "path": path])
        }
        base = path
      } else {
        guard let home = environment["HOME"], !home.isEmpty else {
          throw PathError(key: "cli.no-home", arguments: ["variable": variable])
        }
        guard home.hasPrefix("/") else {
          throw PathError(key: "cli.relative-path", arguments: ["variable": "HOME", "path": home])
        }
        base = Self.within(home, fallback)
      }
      base = Self.within(base, "natter")
      if let profile { base += "/profiles/\(profile)" }
      return URL(filePath: base, directoryHint: .notDirectory)
    }
    self.config = try directory("XDG_CONFIG_HOME", ".config")
    data = try directory("XDG_DATA_HOME", ".local/share")
    state = try directory("XDG_STATE_HOME", ".local/state")
    cache = try directory("XDG_CACHE_HOME", ".cache")
    if environment["XDG_RUNTIME_DIR"]?.isEmpty == false {
      runtime = try directory("XDG_RUNTIME_DIR", "")
    } else {
      // Without a runtime directory (no login session): beside the state, which is as private.
      runtime = state.appending(path: "run")
    }
    configurationFile =
      config.map { URL(filePath: $0) } ?? self.config.appending(path: "config.toml")
  }

  private static func within(_ directory: String, _ name: String) -> String {
    directory + (directory.hasSuffix("/") ? "" : "/") + name
  }

  /// A profile's name becomes the name of a directory: no separators, nothing hidden.
  private static func isGood(profile: String) -> Bool {
    !profile.isEmpty && !profile.hasPrefix(".") && profile.utf8.count <= 100
      && profile.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
  }

  /// Creates the directories that are written to, accessible to this user only (0700), and
  /// restricts existing ones that others can read.
  /// - Throws: `PathError` naming the first that cannot be created, written or restricted.
  func prepare() throws(PathError) {
    for directory in [data, state, cache, runtime] {
      let path = directory.path
      if access(path, F_OK) != 0 { try Self.make(directory) }
      var information = stat()
      if stat(path, &information) == 0, information.st_mode & S_IFMT != S_IFDIR {
        throw PathError(key: "cli.no-directory", arguments: ["path": path])
      }
      guard access(path, W_OK | X_OK) == 0 else {
        throw PathError(
          key: "cli.unwritable", arguments: ["path": path, "reason": String(errno)])
      }
      try Self.close(path)
    }
  }

  /// Why nothing can be written into a directory, or it cannot be created, as the system's error
  /// number; `nil`: it can. Creates nothing.
  nonisolated static func fault(of directory: URL) -> String? {
    var path = directory.path
    while access(path, F_OK) != 0, errno == ENOENT, path != "/" {
      path = URL(filePath: path).deletingLastPathComponent().path
    }
    var information = stat()
    guard stat(path, &information) == 0 else { return String(errno) }
    guard information.st_mode & S_IFMT == S_IFDIR else { return String(ENOTDIR) }
    return access(path, W_OK | X_OK) == 0 ? nil : String(errno)
  }

  private static func make(_ directory: URL) throws(PathError) {
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw unwritable(directory, error)
    }
  }

  private static func close(_ path: String) throws(PathError) {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & 0o077 != 0 else { return }
    guard chmod(path, 0o700) == 0 else {
      throw PathError(
        key: "cli.open-directory", arguments: ["path": path, "reason": String(errno)])
    }
  }

  /// `path` with `~` or `~name` at its start replaced by the home folder, as a shell does;
  /// unchanged where there is none.
  static func expandingTilde(in path: String) -> String {
    guard path.hasPrefix("~") else { return path }
    let name = path.dropFirst().prefix { $0 != "/" }
    var home: String?
    if name.isEmpty {
      home = ProcessInfo.processInfo.environment["HOME"]
    } else if let entry = getpwnam(String(name)) {
      home = String(cString: entry.pointee.pw_dir)
    }
    return home.map { $0 + path.dropFirst(1 + name.count) } ?? path
  }

  private static func unwritable(_ directory: URL, _ error: any Error) -> PathError {
    // Foundation puts "The operation could not be completed." before the system's message.
    let system = (error as? CocoaError)?.underlying as? POSIXError
    let text = system.map { String($0.code.rawValue) } ?? "\(error)"
    return PathError(
      key: "cli.unwritable", arguments: ["path": directory.path, "reason": text])
  }
}
