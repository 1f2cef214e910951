import NatterCore

/// Files and their way, in words.
nonisolated extension ItemFormat {
  /// What a message that offers `file` shows: a card of lines with a rule at their left.
  /// - Parameter words: what the message says besides; empty where that is only the file's address.
  package func card(of file: SharedFile, words: String) -> String {
    let facts = facts(of: file)
    let lines = [shown(file.safeName), facts.isEmpty ? localizer("files.unknown") : facts]
    let card = lines.map { "\(glyphs.vertical) \($0)" }.joined(separator: "\n")
    return words.isEmpty || words == file.address ? card : words + "\n" + card
  }

  /// What is known of `file` beside its name: `picture, 24 kB, 640x480`; empty: nothing.
  package func facts(of file: SharedFile) -> String {
    localizer.list(
      [kind(ofMediaType: file.mediaType), file.size.map { localizer.size($0) }, pixels(of: file)]
        .compactMap { $0 })
  }

  /// How large a picture is; `nil`: its sender did not tell.
  func pixels(of file: SharedFile) -> String? {
    guard let width = file.width, let height = file.height else { return nil }
    return "\(width)x\(height)"
  }

  /// `picture`, `sound`, `film`, `text`, or the type's own name; `nil` for none.
  func kind(ofMediaType type: String?) -> String? {
    guard let type, !type.isEmpty else { return nil }
    for kind in ["image", "audio", "video", "text"] where type.hasPrefix(kind + "/") {
      return localizer("files.kind.\(kind)")
    }
    // From outside: cut before it fills the screen.
    return String(type.prefix(60))
  }

  /// How far `transfer` is, in a line: `[====      ] 42 %  1.1 MB/s  0:02`.
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
      // What changes with each look would be read out again and again.
      if glyphs.isLinear, let bar = bar(of: transfer) { return bar }
      // Each number has its place: what stands behind one that grows stays where it is, and rows are broken as before.
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

  /// The same in a word or two.
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

  /// A bar and a number; `nil` while nobody knows how much there is.
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

  /// What kind of picture somebody shows, and how large it is.
  func text(of picture: AvatarPicture) -> String {
    localizer.list(
      [
        picture.mediaType.split(separator: "/").last.map { $0.uppercased() },
        localizer.size(picture.byteCount),
      ].compactMap { $0 })
  }
}
