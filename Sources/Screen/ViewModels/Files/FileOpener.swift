import NatterCore

/// Opens files of this machine with the programs configured for them.
struct FileOpener {
  let shell: ShellViewModel

  /// Opens the file at `path`, after a confirmation if it is foreign and may run commands.
  func show(_ path: String, isForeign: Bool = true) async {
    guard let files = shell.ports.files, isForeign, await files.mayRun(path) else {
      return open(path)
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "files.mayRunTitle", textKey: "files.mayRun", acceptKey: "files.mayRunAccept",
        arguments: ["name": name]
      ) { open(path) })
  }

  /// Starts the program; a failure of the program to open the file is reported as well.
  private func open(_ path: String) {
    do {
      try shell.ports.files?.open(path) { [weak shell] in shell?.report($0) }
    } catch {
      shell.report(error)
    }
  }
}
