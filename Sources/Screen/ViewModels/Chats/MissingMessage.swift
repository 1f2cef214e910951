import NatterCore

extension Message? {
  /// Why nothing can be done with the selected message: it was deleted, or there is none.
  var absence: StatusNotice {
    StatusNotice(.info, self?.isRetracted == true ? "status.messageDeleted" : "status.noMessage")
  }

  /// The same as an error.
  /// - Parameter key: what cannot be done with a deleted message.
  func absence(_ key: String) -> NatterError {
    self?.isRetracted == true
      ? NatterError(.refused, key) : NatterError(.invalidInput, "error.noMessage")
  }
}
