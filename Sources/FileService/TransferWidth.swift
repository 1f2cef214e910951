/// How many transfers run at once.
enum TransferWidth {
  /// Transfers of a direction that move bytes.
  static let moving = 3
  /// Uploads that are prepared or move bytes: those that wait for an answer let others go ahead.
  static let prepared = 8
}
