import Crypto
import FileService
import FoundationEssentials
import Glibc
import NatterCore
import System
import ViewModels

/// The user's own files: the download folder, the meaning of a typed path, and the program that
/// opens a file.
struct UserFiles {
  let environment: [String: String]
  /// The download folder of the settings.
  let folder: String?
  /// The program that opens files, and its arguments; empty: `xdg-open`.
  let opener: [String]
  /// The folder for small pictures that came with messages.
  let thumbnails: URL
  let crypto: CryptoLibrary

  /// The download folder: the one of the settings, the desktop's (xdg-user-dirs), or `Downloads` at
  /// home.
  var downloadFolder: String {
    if let folder, !folder.isEmpty { return absolute(folder) }
    let home = environment["HOME"] ?? "/"
    let config = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let file = (config ?? home + "/.config") + "/user-dirs.dirs"
    if let text = try? String(contentsOf: URL(filePath: file), encoding: .utf8) {
      for line in text.split(separator: "\n") where line.hasPrefix("XDG_DOWNLOAD_DIR=") {
        let value = line.dropFirst("XDG_DOWNLOAD_DIR=".count).filter { $0 != "\"" }
        let path = value.hasPrefix("$HOME") ? home + value.dropFirst("$HOME".count) : value
        // The home folder as a value means that there is no such folder.
        if path.hasPrefix("/"), path != home, path != home + "/" { return path }
      }
    }
    return home + "/Downloads"
  }

  /// The absolute path of a path that the user typed.
  func absolute(_ path: String) -> String {
    let path = Paths.expandingTilde(in: path)
    if path.hasPrefix("/") { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard let here = getcwd(&buffer, buffer.count).map({ String(cString: $0) }) else { return path }
    return here + (here.hasSuffix("/") ? "" : "/") + path
  }

  /// Returns whether there is a file at `path`.
  func isFile(_ path: String) -> Bool {
    var found = stat()
    guard let bytes = try? DiskPath.bytes(of: path) else { return false }
    return stat(bytes, &found) == 0 && found.st_mode & S_IFMT == S_IFREG
  }

  /// The entries of a folder, up to a number that a user could look through.
  func entries(of folder: String) -> [ShellViewModel.FolderEntry] {
    // An unreadable folder has no completions.
    let files = (try? Folder.files(in: folder, limit: 10_000, hasSizes: false)) ?? []
    return files.map { .init(name: $0.name, isFolder: $0.isFolder) }
  }

  /// Opens a file with its program, and does not wait for that.
  /// - Parameter onFailure: called when the program soon reports that it failed.
  /// - Throws: `NatterError` when the program cannot be started, or the path is invalid.
  func open(_ path: String, onFailure: @escaping @MainActor @Sendable (NatterError) -> Void) throws
  {
    let words = opener.isEmpty ? ["xdg-open"] : opener
    guard
      let program = OtherProgram(
        words[0], Array(words.dropFirst()), path: try DiskPath.bytes(of: path),
        environment: environment)
    else { throw failure(words[0], ENOENT, path) }
    let name = words[0]
    let code = program.spawn { failure in
      let key =
        failure.words.isEmpty ? "error.files.openerSilent" : "error.files.openerFailed"
      let error = NatterError(
        .unexpected, key,
        [
          "program": name, "status": "\(failure.status)", "words": failure.words, "path": path,
        ])
      Task { @MainActor in onFailure(error) }
    }
    if code != 0 { throw failure(words[0], code, path) }
  }

  private func failure(_ program: String, _ code: CInt, _ path: String) -> NatterError {
    NatterError(
      .unexpected, "error.files.opener",
      ["program": program, "reason": String(code), "path": path])
  }

  /// The transfer options of the settings.
  func options(automaticMegabytes: Int, isLocal: Bool = false) -> TransferOptions {
    TransferOptions(
      folder: downloadFolder, automaticLimit: automaticMegabytes * 1_000_000,
      takesOwnMachine: isLocal)
  }

  /// The parts that the shell needs.
  func ports(_ sharing: any FileSharing, _ history: any FileHistoryReading)
    -> ShellViewModel.FilePorts
  {
    .init(
      sharing: sharing, history: history, folder: downloadFolder, absolute: { absolute($0) },
      isFile: { isFile($0) }, open: { try open($0, onFailure: $1) },
      mayRun: { await FileCaution.isNeeded(for: $0) }, entries: { entries(of: $0) },
      looking: DiskReader(thumbnails: thumbnails, crypto: crypto))
  }
}
