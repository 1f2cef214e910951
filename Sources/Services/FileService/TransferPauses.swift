import NatterCore

/// The pauses between the attempts to transfer a file.
enum TransferPauses {
  /// The pauses before further attempts after a broken connection; their number limits the
  /// attempts without progress.
  static let all: [Duration] = [.seconds(1), .seconds(4), .seconds(15)]
  /// The longest delay requested by a server that is respected.
  private static let longest = Duration.seconds(300)

  /// Returns the pause before the next attempt, at least as long as the server requested, up to
  /// `longest`.
  /// - Parameter attempt: the number of earlier attempts; after all pauses, the last one repeats.
  static func pause(after attempt: Int, _ reported: NatterError) -> Duration {
    max(all[min(attempt, all.count - 1)], min(reported.pause ?? .zero, longest))
  }
}
