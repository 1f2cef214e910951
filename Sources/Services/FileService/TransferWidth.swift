/// The limits of concurrent transfers.
enum TransferWidth {
  /// The maximum number of transfers per direction that move bytes.
  static let moving = 3
  /// The maximum number of uploads that are prepared or move bytes; uploads that wait for an answer
  /// let others go ahead.
  static let prepared = 8
}
