import NatterCore

extension DomainEvent {
  /// Indicates whether it may remove a row of the sidebar. The check builds all rows, which for ten
  /// thousand contacts that arrive one by one takes the square of their number.
  var mayTakeRows: Bool {
    switch self {
    case .contactsChanged, .presenceChanged: false
    default: true
    }
  }
}
