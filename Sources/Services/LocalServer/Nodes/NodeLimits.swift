/// The limits of the nodes of an account (XEP-0060).
enum NodeLimits {
  /// The most nodes of an account.
  static let nodes = 200
  /// The most bytes of an item's payload.
  static let payload = 256 << 10
  /// The most bytes of items in an answer; the first item is always sent.
  static let answer = 2 << 20
}
