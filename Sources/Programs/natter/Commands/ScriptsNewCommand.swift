import FoundationEssentials
import Glibc
import ScriptService
import Text

/// `natter scripts new NAME`: a folder with a script that works, made from a template.
struct ScriptsNewCommand {
  /// The language of a template.
  nonisolated enum Language: String, CaseIterable {
    case javaScript = "js"
    case python = "py"
    case shell = "sh"

    /// The option that chooses it.
    var option: String { "--" + rawValue }
    /// The name of the program.
    var program: String { self == .javaScript ? "main.mjs" : "main." + rawValue }

    /// The file of `Resources/scripts` that the program uses; `nil`: none.
    fileprivate var client: String? {
      switch self {
      case .javaScript: "natter.mjs"
      case .python: "natter.py"
      case .shell: nil
      }
    }
  }

  /// A file or folder that could not be read or written.
  private struct Failure: Error {
    let path: String
    let number: Int32
  }

  /// The script's name, as templates have it.
  private static let placeholder = "@NAME@"

  let localizer: Localizer
  /// The folder of the user's scripts.
  let folder: String
  let resources: URL
  /// Prints a line.
  let print: (String) throws -> Void

  /// Makes the folder, and prints what to do next.
  /// - Throws: `CommandFailure` for a name that is not valid, one that is there already, and a
  ///   folder that cannot be written; nothing is left behind then.
  func run(_ name: String, in language: Language) throws -> ExitCode {
    guard ScriptName.isValid(name) else {
      throw CommandFailure(
        code: .usage, text: localizer("cli.scripts.bad-name", ["name": name]))
    }
    let path = folder + "/" + name
    var facts = stat()
    guard lstat(path, &facts) != 0 else {
      throw CommandFailure(
        code: .failed, text: localizer("cli.scripts-new.exists", ["path": path]))
    }
    do throws(Failure) {
      try make(path, name, language)
    } catch {
      throw CommandFailure(
        code: .failed,
        text: localizer(
          "cli.scripts-new.failed", ["path": error.path, "reason": String(error.number)]))
    }
    try print(localizer("cli.scripts-new.made", ["path": path, "program": language.program]))
    try print(localizer("cli.scripts-new.enable", ["name": name]))
    try print(localizer("cli.scripts-new.use", ["name": name, "program": language.program]))
    return .done
  }

  /// Makes the folder under another name first: a script is there as a whole, or not at all.
  private func make(_ path: String, _ name: String, _ language: Language) throws(Failure) {
    let source = resources.appending(path: "script-templates").appending(path: language.rawValue)
    var files: [(name: String, content: [UInt8])] = []
    for file in ["manifest.toml", language.program] {
      let content = try read(source.appending(path: file).path)
      let text = String(decoding: content, as: UTF8.self)
      files.append((file, Array(text.replacing(Self.placeholder, with: name).utf8)))
    }
    if let client = language.client {
      let content = try read(resources.appending(path: "scripts").appending(path: client).path)
      files.append((client, content))
    }
    // Folders that others can write are refused later, whatever the umask is.
    try makeFolders(folder)
    // The list of scripts passes over such a name.
    let part = "\(folder)/.\(name).\(getpid()).part"
    guard mkdir(part, 0o700) == 0 else { throw Failure(path: part, number: errno) }
    do throws(Failure) {
      for file in files {
        let mode: mode_t = file.name.hasSuffix(".sh") ? 0o700 : 0o600
        try write(file.content, to: part + "/" + file.name, mode)
      }
      guard rename(part, path) == 0 else { throw Failure(path: path, number: errno) }
    } catch {
      for file in files { unlink(part + "/" + file.name) }
      rmdir(part)
      throw error
    }
  }

  /// Makes a folder, with those above it, if they are not there.
  private func makeFolders(_ path: String) throws(Failure) {
    guard mkdir(path, 0o700) != 0 else { return }
    let number = errno
    var facts = stat()
    if number == EEXIST, stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { return }
    let parent = URL(filePath: path).deletingLastPathComponent().path
    guard number == ENOENT, parent.utf8.count < path.utf8.count else {
      throw Failure(path: path, number: number)
    }
    try makeFolders(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Failure(path: path, number: errno)
    }
  }

  private func read(_ path: String) throws(Failure) -> [UInt8] {
    guard let content = FileManager.default.contents(atPath: path) else {
      throw Failure(path: path, number: ENOENT)
    }
    return Array(content)
  }

  private func write(_ content: [UInt8], to path: String, _ mode: mode_t) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Failure(path: path, number: errno) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let number = errno
        close(descriptor)
        throw Failure(path: path, number: number)
      }
      rest = rest.dropFirst(count)
    }
    // A full disk may be reported only now.
    guard close(descriptor) == 0 else { throw Failure(path: path, number: errno) }
  }
}
