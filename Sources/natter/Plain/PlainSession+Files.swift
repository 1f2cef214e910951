import NatterCore
import ViewModels
import XMPP

// Files in line mode: sent and kept by commands, told of when they are there or cannot be.
extension PlainSession {
  /// `/upload PATH...`: sends files to whom one is talking.
  func upload(_ text: String) async {
    let paths = DroppedPath.paths(in: text) { ports.isFile(ports.absolute($0)) }
    guard !paths.isEmpty else { return say("plain.usage", ["usage": "/upload PATH"]) }
    guard let current else { return say("plain.nobody") }
    for result in await ports.files.share(paths.map(ports.absolute), with: current) {
      switch result {
      case .success(let transfer):
        say("plain.file-sending", ["name": transfer.name, "to": name(current)])
      case .failure(let error): report(error)
      }
    }
  }

  /// `/save [N] [PATH]`: keeps the last file of this conversation, or the one N before it.
  func save(_ text: String) async {
    guard let current else { return say("plain.nobody") }
    let (first, rest) = CommandCall(rest: text).split
    let number = Int(first)
    if let number, number < 1 {
      return report(NatterError(.invalidInput, "error.files.number", ["text": first]))
    }
    let path = number == nil ? text : rest
    do {
      let found = try await ports.files.files(in: current, limit: number ?? 1)
      guard found.count >= number ?? 1, let message = found.last else {
        throw NatterError(.invalidInput, "error.files.none")
      }
      let target = DroppedPath.path(in: path).map(ports.absolute)
      let transfer = try await ports.files.fetch(message, to: target)
      if transfer.state == .done { show(transfer) }
    } catch {
      report(error)
    }
  }

  /// Tells what came of one that was on its way. That a file was sent is told by its message.
  func show(_ transfer: FileTransfer) {
    switch transfer.state {
    case .done where transfer.direction == .download:
      say("status.saved", ["name": transfer.name, "path": transfer.path])
    case .failed(let error):
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
