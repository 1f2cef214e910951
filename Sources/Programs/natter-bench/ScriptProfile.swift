import Foundation
import NatterCore
import TestSupport
import XMPP

/// A private profile of Natter with scripts that a benchmark makes. Its account is that of
/// `natter --local`.
struct ScriptProfile {
  /// What an enabled script has.
  struct Script {
    let name: String
    /// The program and its arguments, as in a manifest.
    let run: [String]
    /// The file with the program, and its content.
    let file: (name: String, text: String)
    /// The rest of the manifest, beginning with keys of its head.
    var manifest = ""
    /// The arguments of `natter scripts grant NAME` for each right that it is given.
    var grants: [[String]] = []
  }

  static let account = JID(local: "me", domain: "localhost")

  let natter: String
  let home: Home

  init(_ natter: String) throws {
    self.natter = natter
    home = try Home()
    // A folder that others can write is refused.
    for name in ["config/natter", "config/natter/scripts"] { try home.folder.makeFolder(name) }
  }

  func folder(of script: String) -> String {
    home.folder.path("config/natter/scripts/\(script)")
  }

  /// The folder in which a script runs.
  func storage(of script: String) -> ScriptStorageFolder {
    ScriptStorageFolder(home.data.appending(path: "scripts/\(script)/storage"))
  }

  /// Adds a script, enables it, and gives it its rights.
  /// - Throws: `TimedProcess.Failure` if Natter refuses one of these.
  func add(_ script: Script) throws {
    let folder = "config/natter/scripts/\(script.name)"
    try home.folder.makeFolder(folder)
    let words = script.run.map { "\"\($0)\"" }.joined(separator: ", ")
    let head = """
      title = "\(script.name)"
      version = "1"
      api = 1
      run = [\(words)]

      """
    try home.folder.write(head + script.manifest, to: folder + "/manifest.toml")
    try home.folder.write(script.file.text, to: "\(folder)/\(script.file.name)")
    try scripts(["enable", script.name, "--yes"])
    for grant in script.grants { try scripts(["grant", script.name] + grant) }
  }

  private func scripts(_ arguments: [String]) throws {
    try TimedCommand(
      program: natter, arguments: ["scripts"] + arguments, environment: home.natterEnvironment,
      home: home
    ).run(to: home.folder.path("output"))
  }

  /// The processes of its scripts that run now.
  var processes: [pid_t] {
    let mark = Array(home.folder.root.path.utf8)
    let variable = Array("NATTER_SCRIPT=".utf8)
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { process in
      // One that has just ended has no file.
      guard let text = try? Data(contentsOf: URL(filePath: "/proc/\(process)/environ")) else {
        return false
      }
      let bytes = Array(text)
      return bytes.contains(sequence: variable) && bytes.contains(sequence: mark)
    }
  }

  /// Another user of the built-in server of this profile, in line mode and without scripts.
  func other(_ name: String) async throws -> LineNatter {
    let other = try LineNatter(
      ["--local", "--account", name, "--no-scripts"], home: home, home.resources)
    guard await other.waits(upTo: .seconds(60), until: { $0.isOnline }) else {
      throw TimedProcess.Failure(
        description: "\(name) is not online: \(other.state.tail.joined(separator: "\n"))")
    }
    return other
  }
}

/// The folder in which a script of a benchmark runs: the script finds its orders in a file there,
/// and writes its reports to another one.
struct ScriptStorageFolder {
  let folder: URL

  init(_ folder: URL) { self.folder = folder }

  /// Gives the script an order, which it removes when it begins with it.
  func order(_ words: String) throws {
    let new = path("order.new")
    try Data(words.utf8).write(to: URL(filePath: new))
    // The script never sees half of it.
    guard rename(new, path("order")) == 0 else {
      throw TimedProcess.Failure(
        description: "\(path("order")): \(String(cString: strerror(errno)))")
    }
  }

  /// Waits for the next report of the script, and removes it.
  /// - Returns: its lines.
  /// - Throws: `TimedProcess.Failure` when none comes in a minute, or it reports an error.
  func report() async throws -> [String] {
    let file = path("report")
    guard try await polls(until: { access(file, F_OK) == 0 }) else {
      throw TimedProcess.Failure(description: "no report comes to \(file)")
    }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    unlink(file)
    guard !text.hasPrefix("error") else {
      throw TimedProcess.Failure(description: "a script of \(folder.path): \(text)")
    }
    return text.split(separator: "\n").map(String.init)
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }
}
