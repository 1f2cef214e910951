import FoundationEssentials
import LocalServer
import SQLite
import Text
import ViewModels

/// The process of the built-in server, which `natter --local` starts.
struct LocalServerCommand {
  let localizer: Localizer

  /// Serves until the last client has left.
  /// - Parameters:
  ///   - runtimeDirectory: for its Unix socket; `nil`: the directory of its data.
  ///   - program: the command that runs Natter in a shell, for the guide.
  func run(
    directory: String, runtimeDirectory: URL?, isFresh: Bool, program: String? = nil
  ) async throws -> Int32 {
    let localizer = localizer
    var settings = ServerSettings { localizer($0, $1) }
    settings.version = ClientIdentity.version
    settings.asksForKey = true
    if let program { settings.program = program }
    do {
      let outcome = try await LocalServerProcess.run(
        directory: URL(filePath: directory, directoryHint: .isDirectory),
        runtimeDirectory: runtimeDirectory, fresh: isFresh, settings: settings,
        isReady: { _ in PipeEnd.release() })
      if case .alreadyRunning(let state) = outcome {
        StandardStreams.print(localizer("cli.local-already", ["port": String(state.port)]))
      }
      return ExitCode.done.rawValue
    } catch {
      throw CommandFailure(
        code: .unavailable,
        text: localizer("cli.local-failed", ["reason": reason(of: error, in: directory)]))
    }
  }

  private func reason(of error: any Error, in directory: String) -> String {
    switch error {
    case Migrator.Failure.newerSchema:
      localizer("error.storage.newer", ["path": directory])
    case Migrator.Failure.developmentSchema:
      localizer("cli.local-development", ["path": directory])
    case Migrator.Failure.foreign:
      localizer("cli.local-in-the-way", ["path": "\(directory)/\(LocalServerProcess.databaseName)"])
    case let error as SQLiteError:
      switch error.kind {
      case .damaged: localizer("cli.local-damaged", ["path": directory])
      case .full: localizer("error.storage.full", ["path": directory])
      case .notWritable: localizer("error.storage.notWritable", ["path": directory])
      case .busy: localizer("cli.local-busy", ["path": directory])
      case .cannotOpen where error.isInTheWay:
        localizer("cli.local-in-the-way", ["path": error.path ?? directory])
      case .constraint, .cannotOpen, .other:
        localizer("cli.local-other", ["path": directory, "detail": error.number])
      }
    case let error as NotAFile: localizer("cli.local-in-the-way", ["path": error.path])
    case LocalServerProcess.Failure.inUse: localizer("cli.local-running")
    case LocalServerProcess.Failure.unresponsive: localizer("cli.local-busy", ["path": directory])
    default: localizer("cli.local-other", ["path": directory, "detail": "\(error)"])
    }
  }
}
