import NatterCore

extension DomainEvent {
  /// Whether a row of the sidebar may go with it. Looking for one has all rows made, which for each of ten thousand contacts
  /// that come one by one takes the square of their number.
  var mayTakeRows: Bool {
    switch self {
    case .contactsChanged, .presenceChanged: false
    default: true
    }
  }
}
