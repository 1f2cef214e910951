import FoundationEssentials
import Glibc
import NatterCore

/// Starts the programs of scripts by `natter --script-launcher`.
nonisolated struct ScriptLauncher: ScriptStarting {
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  private let executable: String
  private let environment: [String: String]
  private let check: ConfinementCheck
  private let ownFolders: [String]

  var confinement: ScriptConfinement { check.level }

  /// - Parameters:
  ///   - executable: this program. The kernel's name of it works also when the file was replaced
  ///     by a newer one meanwhile.
  ///   - environment: the environment of this process.
  ///   - ownFolders: the folders of Natter's files, such as grants and passwords, which no script
  ///     can be granted.
  init(
    _ check: ConfinementCheck, executable: String = "/proc/self/exe",
    environment: [String: String], ownFolders: [String]
  ) {
    (self.check, self.executable, self.environment) = (check, executable, environment)
    self.ownFolders = ownFolders
  }

  /// Returns a launcher that confines programs as far as this system can.
  static func make(environment: [String: String], ownFolders: [String]) async -> Self {
    Self(
      await ConfinementCheck.run(searchPath: environment["PATH"] ?? ""), environment: environment,
      ownFolders: ownFolders)
  }

  @concurrent func start(
    _ program: ScriptProgram
  ) async throws(ScriptStartError) -> any ScriptProcess {
    let arguments = try arguments(for: program)
    do {
      return try await ScriptChild.start(
        executable, arguments.words, variables(adding: program.variables))
    } catch {
      throw ScriptStartError(
        StatusNotice(
          .error, "error.script.notStarted", ["reason": String(error.code.rawValue)]))
    }
  }

  /// Finds the program, and creates the folder of its storage.
  private func arguments(for program: ScriptProgram) throws(ScriptStartError) -> LauncherArguments {
    let storage = program.storage
    let texts =
      [program.folder, storage] + program.command + program.readable + program.writable
    // The kernel reads a path up to the first zero: it would be another one than was granted.
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw ScriptStartError(
        StatusNotice(.error, "error.script.notStarted", ["reason": String(EINVAL)]))
    }
    for path in program.readable + program.writable
    where GrantedFolders.overlaps(path, with: ownFolders) {
      throw ScriptStartError(StatusNotice(.error, "error.script.ownFolder", ["path": path]))
    }
    do {
      try FileManager.default.createDirectory(
        atPath: storage, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ScriptStartError(
        StatusNotice(.error, "error.script.noStorage", ["path": storage]))
    }
    let changeable = program.writable + [storage]
    var search = ScriptProgramSearch(
      searchPath: environment["PATH"] ?? Self.standardPath, folder: program.folder,
      closedFolders: [environment["HOME"] ?? "/root", program.folder, storage] + ownFolders,
      system: ScriptLaunch.systemPaths)
    search.writable = changeable
    let name = program.command.first ?? ""
    let found: ScriptProgramSearch.Found
    do { found = try search.find(name) } catch {
      let key =
        switch error {
        case .notExecutable: "error.script.notExecutable"
        case .missing where name.hasPrefix("./"): "error.script.noProgram"
        case .missing: "error.script.notInstalled"
        }
      throw ScriptStartError(StatusNotice(.error, key, ["program": name]))
    }
    var arguments = LauncherArguments(
      confinement, folder: program.folder, storage: storage,
      command: [found.path]
        + ScriptArguments.resolved(program.command.dropFirst(), in: program.folder))
    arguments.parent = getpid()
    arguments.hasNetwork = program.hasNetwork
    arguments.readable =
      found.needs + GrantedFolders.rules(for: program.readable, below: changeable)
    arguments.writable = GrantedFolders.rules(for: program.writable, below: changeable)
    arguments.bwrap = check.bwrap
    return arguments
  }

  /// The environment of the launcher: nothing that a script must not see.
  private func variables(adding own: [String: String]) -> [String: String] {
    var variables = environment.filter { name, _ in
      ["PATH", "LANG", "TZ"].contains(name) || name.hasPrefix("LC_")
    }
    for (name, value) in own where name.hasPrefix("NATTER_") { variables[name] = value }
    return variables
  }
}
