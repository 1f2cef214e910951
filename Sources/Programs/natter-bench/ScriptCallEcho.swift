import Foundation
import TestSupport

/// The round trip of a call that needs no account, and of the same program's lines through `cat`.
struct ScriptCallEcho {
  /// What runs the script.
  enum Runtime: String, CaseIterable {
    case node, python3

    var requirement: ProgramRequirement { self == .node ? .node : .python3 }
    fileprivate var words: [String] {
      self == .node ? ["node", file] : ["python3", "-B", file]
    }
    fileprivate var file: String { self == .node ? "main.mjs" : "main.py" }
    fileprivate var text: String {
      self == .node ? ScriptPrograms.versionNode : ScriptPrograms.versionPython
    }
  }

  let natter: String
  let runtime: Runtime
  let calls: Int

  private static let turn = 50
  private static let name = "caller"

  /// Returns the microseconds of each call.
  func times() async throws -> (natter: [Double], bare: [Double]) {
    let scene = try await ScriptScene(
      natter,
      .init(
        name: Self.name, run: runtime.words, file: (runtime.file, runtime.text),
        manifest: "start = \"login\"\n"))
    let bare = ScriptStorageFolder(try scene.profile.home.folder.makeFolder("bare"))
    let echo = try bareEcho(scene.profile, in: bare)
    _ = try await bare.report()
    var times = (natter: [Double](), bare: [Double]())
    for _ in 0..<max(1, calls / Self.turn) {
      times.natter += try await turn(at: scene.storage)
      times.bare += try await turn(at: bare)
    }
    for child in echo { await child.stop() }
    await scene.end()
    return times
  }

  private func turn(at storage: ScriptStorageFolder) async throws -> [Double] {
    try storage.order(String(Self.turn))
    return try await storage.report().compactMap { Double($0).map { $0 / 1000 } }
  }

  /// Starts the program with `cat` at the other ends of its pipes.
  private func bareEcho(
    _ profile: ScriptProfile, in storage: ScriptStorageFolder
  ) throws -> [ChildProcess] {
    var (asked, answered): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    pipe(&asked)
    pipe(&answered)
    for end in asked + answered { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let errors = open(storage.path("errors"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { for descriptor in asked + answered + [errors] { close(descriptor) } }
    let environment = ["PATH": Programs.searchPath, "LANG": "C.UTF-8", "HOME": storage.folder.path]
    let program = runtime.words.map {
      $0 == runtime.file ? "\(profile.folder(of: Self.name))/\($0)" : $0
    }
    return [
      try ChildProcess(
        "cat", [], environment: environment, descriptors: (asked[0], answered[1], errors)),
      try ChildProcess(
        program[0], Array(program.dropFirst()), environment: environment,
        directory: storage.folder.path, descriptors: (answered[0], asked[1], errors)),
    ]
  }
}
