import NatterCore
import Text

/// Files and their transfers as text.
nonisolated extension ItemFormat {
  /// Returns the display of a message that offers `file`: a card of lines with a rule at their
  /// left.
  /// - Parameter caption: the text of the message; dropped if it is only the file's address.
  package func card(of file: SharedFile, caption: String) -> String {
    let facts = facts(of: file)
    let lines = [shown(file.safeName), facts.isEmpty ? localizer("files.unknown") : facts]
    let card = lines.map { "\(glyphs.vertical) \($0)" }.joined(separator: "\n")
    return caption.isEmpty || caption == file.address ? card : caption + "\n" + card
  }

  /// Returns the properties of `file`: `picture, 24 kB, 640x480`; empty if none is known.
  package func facts(of file: SharedFile) -> String {
    localizer.list(
      [kind(ofMediaType: file.mediaType), file.size.map { localizer.size($0) }, pixels(of: file)]
        .compactMap { $0 })
  }

  /// Returns the size of a picture; `nil` if the sender did not include it.
  func pixels(of file: SharedFile) -> String? {
    guard let width = file.width, let height = file.height else { return nil }
    return "\(width)x\(height)"
  }

  /// Returns the localized kind, or the media type itself; `nil` for none.
  func kind(ofMediaType type: String?) -> String? {
    guard let type, !type.isEmpty else { return nil }
    for kind in ["image", "audio", "video", "text"] where type.hasPrefix(kind + "/") {
      return localizer("files.kind.\(kind)")
    }
    // Remote data: cut before it fills the screen.
    return String(type.prefix(60))
  }

  /// Returns the progress of `transfer` in a line: `[====      ] 42 %  1.1 MB/s  0:02`.
  package func progress(of transfer: FileTransfer) -> String {
    switch transfer.state {
    case .waiting: return localizer("files.waiting")
    case .paused:
      return bar(of: transfer).map { $0 + "  " + localizer("files.paused") }
        ?? localizer("files.paused")
    case .done: return localizer("files.done")
    case .failed(let error):
      return localizer("files.failed", ["reason": text(error.notice)])
    case .running:
      guard transfer.progress > 0 else { return localizer("files.beginning") }
      // Text that changes with each update would be read out again and again.
      if glyphs.isLinear, let bar = bar(of: transfer) { return bar }
      // Each number has a fixed width: text after a growing number does not move, and rows wrap as
      // before.
      let rate = Self.right(localizer.size(transfer.rate) + "/s", columns: 8)
      guard let bar = bar(of: transfer) else {
        return Self.right(localizer.size(transfer.progress), columns: 6) + "  " + rate
      }
      return [bar, rate, transfer.timeLeft.map { clock($0) } ?? "-:--"].joined(separator: "  ")
    }
  }

  private static func right(_ text: String, columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - text.count)) + text
  }

  /// Returns the same in a word or two.
  package func shortProgress(of transfer: FileTransfer) -> String {
    switch transfer.state {
    case .waiting: return localizer("files.state.waiting")
    case .paused: return localizer("files.state.paused")
    case .done: return localizer("files.done")
    case .failed: return localizer("files.state.failed")
    case .running:
      guard let total = transfer.byteCount, total > 0 else {
        return localizer.size(transfer.progress)
      }
      if glyphs.isLinear, let bar = bar(of: transfer) { return bar }
      return "\(Int(min(1, Double(transfer.progress) / Double(total)) * 100)) %"
    }
  }

  /// Returns a bar and a number; `nil` while the total is unknown.
  func bar(of transfer: FileTransfer) -> String? {
    guard let total = transfer.byteCount, total > 0 else { return nil }
    let part = min(1, Double(transfer.progress) / Double(total))
    let filled = Int(part * 10)
    if glyphs.isLinear { return "\(filled * 10) %" }
    return "[" + String(repeating: "=", count: filled)
      + String(repeating: " ", count: 10 - filled) + "]"
      + Self.right("\(Int(part * 100))", columns: 3) + " %"
  }

  private func clock(_ duration: Duration) -> String {
    let seconds = min(Int(duration.components.seconds), 359_999)
    let rest = "\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    guard seconds >= 3600 else { return "\(seconds / 60):\(rest)" }
    let minutes = seconds / 60 % 60
    return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(rest)"
  }

  /// Returns the format and the size of an avatar.
  func text(of picture: AvatarPicture) -> String {
    localizer.list(
      [
        picture.mediaType.split(separator: "/").last.map { $0.uppercased() },
        localizer.size(picture.byteCount),
      ].compactMap { $0 })
  }
}
