import CSandbox
import NatterCore
import System

/// How this system can confine programs of scripts.
nonisolated struct ConfinementCheck: Hashable, Sendable {
  let level: ScriptConfinement
  /// The path of bwrap, where it is used.
  let bwrap: String?

  init(_ level: ScriptConfinement, bwrap: String? = nil) {
    (self.level, self.bwrap) = (level, bwrap)
  }

  /// Asks the kernel, and tries bwrap where that is not enough.
  @concurrent static func run(searchPath: String) async -> Self {
    guard natter_sandbox_seccomp() == 1 else { return Self(.open) }
    if natter_sandbox_landlock() > 0 { return Self(.closed) }
    guard let bwrap = await workingBwrap(searchPath: searchPath) else { return Self(.open) }
    return Self(.bwrap, bwrap: bwrap)
  }

  /// Returns the path of bwrap if it can be used here: some systems forbid what it does.
  @concurrent static func workingBwrap(searchPath: String) async -> String? {
    guard
      let program = OtherProgram(
        "bwrap", [], environment: searchPath.isEmpty ? [:] : ["PATH": searchPath])
    else { return nil }
    let trial = ProgramRun(
      path: program.path,
      arguments: [
        "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/",
        "--proc", "/proc", "--dev", "/dev", "--", "/bin/true",
      ])
    // One that hangs cannot be used either.
    let result = try? await trial.result(within: .seconds(5))
    return result?.status == 0 ? program.path : nil
  }
}
