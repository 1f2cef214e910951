import Crypto
import FileService
import FoundationEssentials
import Glibc
import NatterCore
import ViewModels

/// The person's own files: where downloads go, what a typed path means, and what opens a file.
struct UserFiles {
  let environment: [String: String]
  /// The folder for downloads that the settings name.
  let folder: String?
  /// The program that opens files, and its arguments; empty: `xdg-open`.
  let opener: [String]
  /// Where small pictures that came with messages are laid.
  let thumbnails: URL
  let crypto: CryptoLibrary

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
    guard let bytes = try? DiskPath.bytes(of: path) else { return false }
    return stat(bytes, &found) == 0 && found.st_mode & S_IFMT == S_IFREG
  }

  /// What is in a folder, as far as somebody could want to look through it.
  func entries(of folder: String) -> [ShellViewModel.FolderEntry] {
    // What cannot be read completes nothing.
    let files = (try? Folder.files(in: folder, limit: 10_000, hasSizes: false)) ?? []
    return files.map { .init(name: $0.name, isFolder: $0.isFolder) }
  }

  /// Has the program that is meant for it show a file, and does not wait for it.
  /// - Parameter onFailure: told when the program says soon after that it could not.
  /// - Throws: `NatterError` when it cannot be started, or nobody can tell which file is meant.
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

  /// What the settings say of files.
  func options(automaticMegabytes: Int, isLocal: Bool = false) -> TransferOptions {
    TransferOptions(
      folder: downloadFolder, automaticLimit: automaticMegabytes * 1_000_000,
      takesOwnMachine: isLocal)
  }

  /// What the shell needs.
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
