/// What a waiting transfer of a `TransferQueue` must not begin before.
enum TransferWait: Hashable {
  /// A connection after these many.
  case connection(after: Int)
  /// The user has it go on, and that is not stored yet.
  case storing

  /// Returns whether that is still to come.
  /// - Parameter connections: the number of connections so far.
  func lasts(at connections: Int) -> Bool {
    switch self {
    case .connection(let earlier): earlier >= connections
    case .storing: true
    }
  }
}
