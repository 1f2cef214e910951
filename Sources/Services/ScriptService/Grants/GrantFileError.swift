import NatterCore
import System

/// The reason why the file of the rights could not be read or written. It was not changed.
package enum GrantFileError: Error, Hashable, Sendable {
  /// It is not in Natter's format. The line counts from 1; `nil`: the file as a whole.
  case damaged(path: String, line: Int?)
  /// A newer Natter has written it.
  case newer(path: String)
  /// It belongs to another user of the system, or others can write it.
  case foreign(path: String)
  case full(path: String)
  case notAllowed(path: String)
  /// - Parameter detail: the number of the system's error.
  case other(path: String, detail: String)

  init(_ failure: PrivateFile.Failure) {
    self =
      switch failure.kind {
      case .full: .full(path: failure.path)
      case .notAllowed, .readOnly: .notAllowed(path: failure.path)
      case .tooLarge: .damaged(path: failure.path, line: nil)
      case .other: .other(path: failure.path, detail: failure.reason)
      }
  }
}

extension GrantFileError: NatterErrorConvertible {
  package var natterError: NatterError {
    switch self {
    case .damaged(let path, nil):
      NatterError(.storage, "error.script.grants.damaged", ["path": path])
    case .damaged(let path, let line?):
      NatterError(
        .storage, "error.script.grants.damagedLine", ["path": path, "line": String(line)])
    case .newer(let path):
      NatterError(.storage, "error.script.grants.newer", ["path": path], retry: .never)
    case .foreign(let path):
      NatterError(.storage, "error.script.grants.foreign", ["path": path])
    case .full(let path): NatterError(.storage, "error.file.full", ["path": path])
    case .notAllowed(let path): NatterError(.storage, "error.file.notAllowed", ["path": path])
    case .other(let path, let detail):
      NatterError(.storage, "error.file.other", ["path": path, "detail": detail])
    }
  }
}
