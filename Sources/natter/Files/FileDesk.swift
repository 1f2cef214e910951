import FileService
import FoundationEssentials
import Glibc
import NatterCore
import ViewModels

/// The person's own files: where downloads go, what a typed path means, and what opens a file.
struct FileDesk {
  let environment: [String: String]
  /// The folder for downloads that the settings name.
  let folder: String?
  /// The program that opens files, and its arguments; empty: `xdg-open`.
  let opener: [String]

  /// The folder for downloads: the one that is set, the desktop's (xdg-user-dirs), or `Downloads` at home.
  var downloadFolder: String {
    if let folder, !folder.isEmpty { return absolute(folder) }
    let home = environment["HOME"] ?? "/"
    let config = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let file = (config ?? home + "/.config") + "/user-dirs.dirs"
    if let text = try? String(contentsOf: URL(filePath: file), encoding: .utf8) {
      for line in text.split(separator: "\n") where line.hasPrefix("XDG_DOWNLOAD_DIR=") {
        let value = line.dropFirst("XDG_DOWNLOAD_DIR=".count).filter { $0 != "\"" }
        let path = value.hasPrefix("$HOME") ? home + value.dropFirst("$HOME".count) : value
        // The home itself says that there is no such folder.
        if path.hasPrefix("/"), path != home, path != home + "/" { return path }
      }
    }
    return home + "/Downloads"
  }

  /// The absolute path of what a person typed.
  func absolute(_ path: String) -> String {
    let path = Paths.expandingTilde(in: path)
    if path.hasPrefix("/") { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard let here = getcwd(&buffer, buffer.count).map({ String(cString: $0) }) else { return path }
    return here + (here.hasSuffix("/") ? "" : "/") + path
  }

  /// Whether there is a file at `path`.
  func isFile(_ path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFREG
  }

  /// Has the program that is meant for it show a file, and does not wait for it.
  /// - Throws: `NatterError` when it cannot be started.
  func open(_ path: String) throws {
    let program = opener.isEmpty ? ["xdg-open"] : opener
    guard isThere(program[0]) else { throw failure(program[0], ENOENT, path) }
    // The shell only lets go of the program: nothing of what it is given is read as its language.
    let arguments = ["sh", "-c", "\"$@\" &", "sh"] + program + [path]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // What it says must not come between what is on the screen.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var standard = sigset_t()
    sigfillset(&standard)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &standard)
    // A group of its own: what is typed here for this program does not end it.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process = pid_t()
    let status = posix_spawnp(&process, arguments[0], &actions, &attributes, words, environ)
    guard status == 0 else {
      throw failure(program[0], status, path)
    }
    // The shell ends at once: what it has started is nobody's child here.
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  private func failure(_ program: String, _ code: CInt, _ path: String) -> NatterError {
    NatterError(
      .unexpected, "error.files.opener",
      ["program": program, "reason": String(cString: strerror(code)), "path": path])
  }

  /// Whether a program of that name can be started.
  private func isThere(_ program: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    return (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
      access("\($0)/\(program)", X_OK) == 0
    }
  }

  /// What the settings say of files.
  func options(automaticMegabytes: Int) -> TransferOptions {
    TransferOptions(
      folder: downloadFolder, automaticLimit: automaticMegabytes * 1_000_000)
  }

  /// What the shell needs.
  func ports(_ sharing: any FileSharing) -> ShellViewModel.FilePorts {
    .init(
      sharing: sharing, absolute: { absolute($0) }, isFile: { isFile($0) },
      open: { try open($0) })
  }
}
