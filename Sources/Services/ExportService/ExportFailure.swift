import NatterCore
import System

/// A reason why an export could not be written.
package enum ExportFailure: Error, Hashable, Sendable {
  /// There is a file at this path, which may not be replaced.
  case exists(path: String)
  /// The entry at this path is not a regular file, and is never replaced.
  case notAFile(path: String)
  /// Another export writes to this path.
  case busy(path: String)
  /// The file could not be written.
  case file(PrivateFile.Failure)
}

extension ExportFailure: NatterErrorConvertible {
  package var natterError: NatterError { error() }

  /// Returns the error for the user.
  /// - Parameters:
  ///   - exists: the key of the sentence about a file that may not be replaced, and what to do.
  ///   - unwritable: the key of the sentence about any other reason than the disk or permissions.
  package func error(
    exists: String = "error.historyFile.exists",
    unwritable: String = "error.historyFile.unwritable"
  ) -> NatterError {
    switch self {
    case .exists(let path): NatterError(.storage, exists, ["path": path], retry: .never)
    case .notAFile(let path):
      NatterError(.storage, "error.historyFile.notAFile", ["path": path], retry: .never)
    case .busy(let path): NatterError(.storage, "error.historyFile.writing", ["path": path])
    case .file(let failure):
      switch failure.kind {
      case .full: NatterError(.storage, "error.file.full", ["path": failure.path])
      case .notAllowed, .readOnly:
        NatterError(.storage, "error.file.notAllowed", ["path": failure.path])
      case .tooLarge, .other:
        NatterError(.storage, unwritable, ["path": failure.path, "reason": failure.reason])
      }
    }
  }
}
