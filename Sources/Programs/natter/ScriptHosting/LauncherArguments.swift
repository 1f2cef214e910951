import NatterCore

/// The arguments of `natter --script-launcher`, which this program starts for itself.
nonisolated struct LauncherArguments: Hashable, Sendable {
  static let option = "--script-launcher"

  /// Arguments that are not complete, or that are none of these.
  struct Mistake: Error, Hashable {
    let argument: String
  }

  /// What has to be applied; the launcher fails if it cannot be.
  var confinement: ScriptConfinement
  /// The process that starts the launcher; 0: it is not checked.
  var parent: Int32 = 0
  /// The script's folder, and that of its storage.
  var folder: String
  var storage: String
  var hasNetwork = false
  /// Files and folders that it can read, and those that it can read and write, besides.
  var readable: [String] = []
  var writable: [String] = []
  /// The path of bwrap, for that confinement.
  var bwrap: String?
  /// The path of the program, and its arguments.
  var command: [String]

  init(_ confinement: ScriptConfinement, folder: String, storage: String, command: [String]) {
    (self.confinement, self.command) = (confinement, command)
    (self.folder, self.storage) = (folder, storage)
  }

  /// Reads the arguments after `option`. All paths are absolute.
  init(_ words: [String]) throws(Mistake) {
    var rest = words[...]
    guard let name = rest.popFirst(), let confinement = ScriptConfinement(rawValue: name) else {
      throw Mistake(argument: words.first ?? "")
    }
    self.init(confinement, folder: "", storage: "", command: [])
    while let option = rest.popFirst(), option != "--" {
      if option == "--network" {
        hasNetwork = true
        continue
      }
      guard let value = rest.popFirst() else { throw Mistake(argument: option) }
      if option == "--parent" {
        guard let number = Int32(value), number > 0 else { throw Mistake(argument: value) }
        parent = number
        continue
      }
      guard Self.isPath(value) else { throw Mistake(argument: value) }
      switch option {
      case "--folder": folder = value
      case "--storage": storage = value
      case "--read": readable.append(value)
      case "--write": writable.append(value)
      case "--bwrap": bwrap = value
      default: throw Mistake(argument: option)
      }
    }
    command = Array(rest)
    guard !folder.isEmpty else { throw Mistake(argument: "--folder") }
    guard !storage.isEmpty else { throw Mistake(argument: "--storage") }
    guard (bwrap != nil) == (confinement == .bwrap) else { throw Mistake(argument: "--bwrap") }
    guard let program = command.first, Self.isPath(program) else {
      throw Mistake(argument: command.first ?? "--")
    }
  }

  private static func isPath(_ text: String) -> Bool { text.utf8.first == UInt8(ascii: "/") }

  /// The arguments that `init(_:)` reads, with `option` before them.
  var words: [String] {
    var words = [Self.option, confinement.rawValue]
    if parent > 0 { words += ["--parent", String(parent)] }
    words += ["--folder", folder, "--storage", storage]
    if hasNetwork { words.append("--network") }
    for path in readable { words += ["--read", path] }
    for path in writable { words += ["--write", path] }
    if let bwrap { words += ["--bwrap", bwrap] }
    return words + ["--"] + command
  }

  /// The environment of the program: what it needs of this one, and its own folders.
  func environment(from variables: [String: String]) -> [String: String] {
    var kept = variables.filter { name, _ in
      ["PATH", "LANG", "TZ"].contains(name) || name.hasPrefix("LC_") || name.hasPrefix("NATTER_")
    }
    kept["HOME"] = storage
    kept["TMPDIR"] = temporaryFolder
    return kept
  }

  var temporaryFolder: String { storage + "/tmp" }

  /// The arguments of bwrap, for rules like those of Landlock.
  /// - Parameters:
  ///   - system: files and folders that every program can read; those that are missing are left
  ///     out.
  ///   - filter: the descriptor of the filter for system calls.
  func bwrapArguments(system: [String], filter: Int32) -> [String] {
    var words = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    if hasNetwork { words.append("--share-net") }
    for path in system { words += ["--ro-bind-try", path, path] }
    words += ["--proc", "/proc", "--dev", "/dev"]
    for path in [folder] + readable { words += ["--ro-bind", path, path] }
    for path in writable + [storage] { words += ["--bind", path, path] }
    // Files there would be memory that is not counted as the script's.
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return words + ["--chdir", storage, "--seccomp", String(filter), "--"] + command
  }
}
