import Configuration
import FoundationEssentials
import NatterCore
import System
import ViewModels

/// Opens links and locations with the programs for them, and asks one where this computer is.
struct LinkPrograms {
  let environment: [String: String]
  /// The settings as they are now.
  let settings: () -> Settings.Location
  let copy: (String) -> CopyOutcome
  /// The shell that shows what happened.
  let shell: () -> ShellViewModel?

  /// The default of `location.map`.
  private static let map =
    "https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=16/{lat}/{lon}"
  /// The time that `location.command` has.
  private static let limit = Duration.seconds(10)

  var actions: LinkActions {
    LinkActions(
      open: { open($0) }, openLocation: { openLocation($0, onFailure: $1) },
      map: { settings().map ?? Self.map },
      findLocation: { try await Self.output(of: settings().command, environment) })
  }

  /// Opens a web or mail address in the program for it; without one, or if it could not be seen,
  /// copies it to the terminal's clipboard.
  private func open(_ link: String) {
    guard let shell = shell() else { return }
    for program in LinkOpener.programs(for: link, environment: environment)
    where program.start() {
      return shell.show(
        StatusNotice(.info, "status.linkOpened", ["link": link, "program": program.name]))
    }
    shell.onCopy(link)
    let key = copy(link) == .copied ? "status.linkCopied" : "status.linkNotOpened"
    shell.show(StatusNotice(.warning, key, ["link": link]))
  }

  /// - Parameter onFailure: called when no program takes the address, or it soon fails.
  private func openLocation(
    _ address: String, onFailure: @escaping @MainActor @Sendable () -> Void
  ) {
    for program in LinkOpener.programs(for: address, environment: environment)
    where program.spawn(onFailure: { _ in Task { @MainActor in onFailure() } }) == 0 {
      shell()?.show(
        StatusNotice(.info, "status.linkOpened", ["link": address, "program": program.name]))
      return
    }
    onFailure()
  }

  /// Returns what a program prints; `nil` if there is no command.
  /// - Throws: `NatterError` if it cannot be started, fails or takes too long.
  nonisolated static func output(of command: [String], _ environment: [String: String])
    async throws -> String?
  {
    guard let name = command.first else { return nil }
    guard let program = OtherProgram(name, [], environment: environment) else {
      throw NatterError(.unexpected, "error.location.noProgram", ["program": name])
    }
    do {
      let run = try await ProgramRun(
        path: program.path, arguments: Array(command.dropFirst()), outputLimit: 4096
      ).result(within: limit)
      guard run.status == 0 else {
        throw NatterError(
          .unexpected, "error.location.failed", ["program": name, "status": "\(run.status)"])
      }
      return String(decoding: run.output, as: UTF8.self)
    } catch ProgramRun.Failure.timedOut {
      throw NatterError(.unexpected, "error.location.timedOut", ["program": name])
    } catch ProgramRun.Failure.notStarted {
      throw NatterError(.unexpected, "error.location.noProgram", ["program": name])
    }
  }
}
