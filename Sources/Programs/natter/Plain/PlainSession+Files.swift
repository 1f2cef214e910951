import FoundationEssentials
import NatterCore
import Text
import ViewModels
import XMPP

/// The files that line mode is to open.
struct FileOpenings {
  /// Those that are on their way.
  var waiting: Set<FileTransfer.ID> = []
  /// The paths of those that may run commands, of which the user knows.
  private var warned: Set<String> = []

  /// Takes note that the user hears of a file that may run commands.
  /// - Returns: whether they had not heard of it before.
  mutating func warns(of path: String) -> Bool { warned.insert(path).inserted }
}

// Files in line mode: sent and saved by commands, printed when they arrive or fail.
extension PlainSession {
  /// `/upload PATH...`: sends files to whom one is talking.
  func upload(_ text: String) async {
    let paths = DroppedPath.paths(in: text) { ports.paths.isFile(ports.paths.absolute($0)) }
    guard !paths.isEmpty else { return PlainHelp(session: self).showUsage(of: "upload") }
    guard let current else { return say("plain.no-conversation") }
    for result in await ports.files.share(paths.map(ports.paths.absolute), with: current) {
      switch result {
      case .success(let transfer):
        say("plain.file-sending", ["name": transfer.name, "to": name(current)])
      case .failure(let error): report(error)
      }
    }
  }

  /// `/save [N] [PATH]`: saves the last file of this conversation, or the one printed with N.
  func save(_ text: String) async {
    guard let (message, path) = await file(text) else { return }
    do {
      let target = DroppedPath.path(in: path).map(ports.paths.absolute)
      let transfer = try await ports.files.fetch(message, to: target)
      if transfer.state == .done { show(transfer) }
    } catch {
      report(error)
    }
  }

  /// `/open [N]`: shows the file with the program for it, fetched first where it is not here.
  func open(file text: String) async {
    guard let (message, _) = await file(text) else { return }
    do {
      if let path = await ports.files.localPath(of: message) {
        return try await show(path: path, isForeign: message.direction == .incoming)
      }
      let transfer = try await ports.files.fetch(message, to: nil)
      if transfer.state == .done {
        try await show(path: transfer.path)
      } else {
        opening.waiting.insert(transfer.id)
      }
    } catch {
      report(error)
    }
  }

  /// Opens a file; a foreign one that may run commands only when the command is repeated.
  private func show(path: String, isForeign: Bool = true) async throws {
    if isForeign, await ports.paths.mayRun(path), opening.warns(of: path) {
      return say("plain.file-may-run", ["name": path])
    }
    try ports.paths.open(path) { [weak self] in self?.report($0) }
  }

  /// The file that a command means, and what follows its number.
  /// - Returns: `nil` without one, which is printed.
  private func file(_ text: String) async -> (message: Message, rest: String)? {
    let (first, rest) = CommandCall(rest: text).split
    if let number = Int(first) {
      guard let message = files[number] else {
        report(NatterError(.invalidInput, "error.files.number", ["text": first]))
        return nil
      }
      return (message, rest)
    }
    guard let current else {
      say("plain.no-conversation")
      return nil
    }
    do {
      guard let message = try await ports.files.files(in: current, limit: 1).first else {
        throw NatterError(.invalidInput, "error.files.none")
      }
      return (message, text)
    } catch {
      report(error)
      return nil
    }
  }

  /// The text of a message; a file that it offers with its number, name, type, size and address.
  func text(of message: Message) -> String {
    guard let file = message.file, !message.isRetracted else {
      return format.printed(message, by: speaker(of: message), now: Date())
    }
    let number = files.number(of: message)
    let facts = [file.safeName, format.facts(of: file), file.address].filter { !$0.isEmpty }
    let reported = format.localizer(
      "plain.file", ["number": "\(number)", "facts": localizer.list(facts)])
    return message.body == file.address || message.body.isEmpty
      ? reported : message.body.withoutEmptyLinesAround + "\n" + reported
  }

  /// Prints the result of a transfer. A sent file is printed with its message.
  func show(_ transfer: FileTransfer) {
    switch transfer.state {
    case .done where transfer.direction == .download:
      if opening.waiting.remove(transfer.id) != nil {
        Task { do { try await show(path: transfer.path) } catch { report(error) } }
        return
      }
      say("status.saved", ["name": transfer.name, "path": transfer.path])
    case .failed(let error):
      opening.waiting.remove(transfer.id)
      say(
        transfer.direction == .upload ? "plain.file-failed" : "plain.file-not-fetched",
        [
          "name": transfer.name, "reason": format.text(error.notice),
          "address": transfer.conversation.description,
        ])
    default: break
    }
  }
}
