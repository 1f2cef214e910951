import CSandbox
import FoundationEssentials
import Glibc
import NatterCore

/// `natter --script-launcher`: confines itself, and becomes the program of a script
/// (interface.md, "Confinement").
nonisolated enum ScriptLaunch {
  /// The exit statuses when the program was not started: its sandbox is not complete, and it could
  /// not be executed.
  static let notConfined: Int32 = 126
  static let notExecuted: Int32 = 127

  /// The system's files and folders that every program can read.
  static var systemPaths: [String] {
    var paths: [String] = []
    while let path = natter_sandbox_system(CInt(paths.count)) {
      paths.append(String(cString: path))
    }
    return paths
  }

  /// Runs the launcher; it does not return if the program was executed.
  /// - Parameters:
  ///   - words: the arguments after `LauncherArguments.option`.
  ///   - variables: the environment.
  /// - Returns: the exit status.
  static func run(_ words: [String], _ variables: [String: String]) -> Int32 {
    let arguments: LauncherArguments
    do { arguments = try LauncherArguments(words) } catch {
      return fail("arguments: \(error.argument)", EINVAL, notConfined)
    }
    var step: UnsafePointer<CChar>?
    var code = natter_sandbox_prepare(arguments.parent, arguments.storage, &step)
    if code != 0 { return fail(name(step), code, notConfined) }
    // It never follows a link that an earlier run of the script may have left.
    if mkdir(arguments.temporaryFolder, 0o700) != 0, errno != EEXIST {
      return fail(arguments.temporaryFolder, errno, notConfined)
    }
    let environment = arguments.environment(from: variables)
    if let bwrap = arguments.bwrap {
      let filter = natter_sandbox_filter_file(arguments.hasNetwork ? 1 : 0)
      guard filter >= 0 else { return fail("memfd_create", errno, notConfined) }
      return execute(
        bwrap, arguments.bwrapArguments(system: systemPaths, filter: filter), environment)
    }
    code = confine(arguments, &step)
    if code != 0 { return fail(name(step), code, notConfined) }
    return execute(arguments.command[0], Array(arguments.command.dropFirst()), environment)
  }

  private static func confine(
    _ arguments: LauncherArguments, _ step: inout UnsafePointer<CChar>?
  ) -> Int32 {
    // They are in memory until the program is executed.
    let readable = strings([arguments.folder] + arguments.readable)
    let writable = strings(arguments.writable)
    let storage = strdup(arguments.storage)
    return readable.withUnsafeBufferPointer { readable in
      writable.withUnsafeBufferPointer { writable in
        var rules = natter_sandbox(
          storage: storage, readable: readable.baseAddress, writable: writable.baseAddress,
          has_network: arguments.hasNetwork ? 1 : 0,
          is_closed: arguments.confinement == .closed ? 1 : 0)
        return natter_sandbox_confine(&rules, &step)
      }
    }
  }

  private static func strings(_ texts: [String]) -> [UnsafePointer<CChar>?] {
    texts.map { UnsafePointer(strdup($0)) } + [nil]
  }

  private static func execute(
    _ program: String, _ arguments: [String], _ environment: [String: String]
  ) -> Int32 {
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    execve(program, words, variables)
    return fail(program, errno, notExecuted)
  }

  private static func name(_ step: UnsafePointer<CChar>?) -> String {
    step.map { String(cString: $0) } ?? "sandbox"
  }

  /// Says in the script's log what has failed; it has no language.
  private static func fail(_ step: String, _ code: Int32, _ status: Int32) -> Int32 {
    var text = "natter: \(LauncherArguments.option): \(step): \(String(cString: strerror(code)))\n"
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    return status
  }
}
