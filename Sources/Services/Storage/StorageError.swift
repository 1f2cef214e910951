import NatterCore
import SQLite

/// A reason why something could not be stored or read.
package enum StorageError: Error, Hashable, Sendable {
  /// The file at this path is not a database, or a broken one. It was not changed.
  case damaged(path: String)
  /// The file at this path was written by a newer version of Natter. It was not changed.
  case newerSchema(path: String)
  /// The file at this path was written by an earlier version of Natter and may only be read, so it
  /// could not be migrated. It was not changed.
  case olderSchema(path: String)
  /// The file at this path was made by a build from before the first release. It was not changed.
  case developmentSchema(path: String)
  /// The file at this path is a database of another program. It was not changed.
  case foreign(path: String)
  /// The disk or the quota is full. Nothing of the batch was stored.
  case full(path: String)
  /// The file or its directory may not be written to.
  case notWritable(path: String)
  /// Another instance uses the account; its process id where it is known.
  case locked(by: Int32?)
  /// The entry at this path, beside the database, is not a regular file.
  case notAFile(path: String)
  /// Any other error, with the path.
  case underlying(SQLiteError)

  /// - Parameter path: of the database that threw `error`.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StorageError:
      self = error
    case Migrator.Failure.newerSchema:
      self = .newerSchema(path: path)
    case Migrator.Failure.olderSchema:
      self = .olderSchema(path: path)
    case Migrator.Failure.developmentSchema:
      self = .developmentSchema(path: path)
    case Migrator.Failure.foreign:
      self = .foreign(path: path)
    case DatabaseLock.Failure.held(let holder):
      self = .locked(by: holder)
    case DatabaseLock.Failure.system(let error):
      self = StorageError(error, path: path)
    case let error as NotAFile:
      self = .notAFile(path: error.path)
    case let error as SQLiteError:
      self =
        switch error.kind {
        case .cannotOpen where error.isInTheWay: .notAFile(path: path)
        case .damaged: .damaged(path: path)
        case .full: .full(path: path)
        case .notWritable: .notWritable(path: path)
        case .busy: .locked(by: nil)
        case .constraint, .cannotOpen, .other:
          .underlying(error.naming(path))
        }
    default:
      self = .underlying(SQLiteError(code: 1, message: String(describing: error), path: path))
    }
  }
}

extension StorageError: NatterErrorConvertible {
  /// The error that is shown, with the path or the process id in its arguments.
  package var natterError: NatterError {
    switch self {
    case .damaged(let path):
      NatterError(.storage, "error.storage.damaged", ["path": path], retry: .never)
    case .newerSchema(let path):
      NatterError(.storage, "error.storage.newer", ["path": path], retry: .never)
    case .olderSchema(let path):
      NatterError(.storage, "error.storage.older", ["path": path], retry: .never)
    case .developmentSchema(let path):
      NatterError(.storage, "error.storage.development", ["path": path], retry: .never)
    case .foreign(let path):
      NatterError(.storage, "error.storage.foreign", ["path": path], retry: .never)
    case .full(let path):
      NatterError(.storage, "error.storage.full", ["path": path])
    case .notWritable(let path):
      NatterError(.storage, "error.storage.notWritable", ["path": path])
    case .locked(let holder?):
      NatterError(.storage, "error.storage.lockedBy", ["pid": String(holder)])
    case .locked(nil):
      NatterError(.storage, "error.storage.locked")
    case .notAFile(let path):
      NatterError(.storage, "error.storage.notAFile", ["path": path])
    case .underlying(let error):
      NatterError(
        .storage, "error.storage.other",
        [
          "path": error.path ?? "",
          "detail": error.number,
        ])
    }
  }
}
