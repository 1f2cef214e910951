import NatterCore
import System

/// The reason why accounts or credentials could not be read or written.
package enum ConfigurationError: Error, Hashable, Sendable {
  /// The file at this path is not in Natter's format. It was not changed.
  case damaged(path: String)
  /// The file at this path was written by a newer Natter. It was not changed.
  case newer(path: String)
  case full(path: String)
  case notAllowed(path: String)
  /// The file of secrets belongs to another system user.
  case foreign(path: String)
  /// - Parameter detail: the number of the system's error.
  case other(path: String, detail: String)

  init(_ failure: PrivateFile.Failure) {
    self =
      switch failure.kind {
      case .full: .full(path: failure.path)
      case .notAllowed, .readOnly: .notAllowed(path: failure.path)
      case .tooLarge: .damaged(path: failure.path)
      case .other: .other(path: failure.path, detail: failure.reason)
      }
  }
}

extension ConfigurationError: NatterErrorConvertible {
  package var natterError: NatterError {
    switch self {
    case .damaged(let path):
      NatterError(.storage, "error.file.damaged", ["path": path])
    case .newer(let path):
      NatterError(.storage, "error.file.newer", ["path": path], retry: .never)
    case .full(let path):
      NatterError(.storage, "error.file.full", ["path": path])
    case .notAllowed(let path):
      NatterError(.storage, "error.file.notAllowed", ["path": path])
    case .foreign(let path):
      NatterError(.storage, "error.file.foreign", ["path": path])
    case .other(let path, let detail):
      NatterError(.storage, "error.file.other", ["path": path, "detail": detail])
    }
  }
}
