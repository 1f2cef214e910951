import ConnectionService
import FoundationEssentials
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// The commands that print what is stored: `natter unread`, `history`, `search`, `contacts` and
/// `rooms`.
///
/// They never connect and never write, need no terminal, and do not wait for a Natter that has the
/// account open. Only `history --fetch` connects, where no other Natter is.
struct ReadingCommand {
  let context: LaunchContext

  /// - Throws: `CommandFailure`.
  func run(_ request: ReadingRequest) async throws -> ExitCode {
    let output = ReadingOutput(context.localizer)
    do {
      let code = try await print(request, to: output)
      try output.finish()
      return code
    } catch is ReadingOutput.Closed {
      return .done
    } catch { throw CommandFailure(reading: error, context.localizer) }
  }

  private func print(_ request: ReadingRequest, to output: ReadingOutput) async throws -> ExitCode {
    let accounts = StoredAccounts(context: context)
    switch request.subject {
    case .unread:
      let rules = NotificationRules(context)
      return try await UnreadCommand(
        request: request, output: output,
        muting: { rules.notifications(of: $0, nil).isMuted }
      ).run(accounts.all())
    case .contacts:
      return try await ContactsCommand(request: request, output: output).run(accounts.one())
    case .rooms:
      return try await RoomsCommand(request: request, output: output).run(accounts.one())
    case .history(let address):
      if request.fetches {
        let command = HistoryFetchCommand(request: request, context: context)
        if let code = try await command.run(address) { return code }
      }
      return try await HistoryCommand(request: request, context: context, output: output)
        .run(address, in: accounts.one())
    case .search(let query):
      return try await SearchCommand(request: request, context: context, output: output)
        .run(query, in: accounts.all())
    }
  }
}

extension CommandFailure {
  /// The failure of a command that reads what is stored.
  @MainActor init(reading error: any Error, _ localizer: Localizer) {
    if let error = error as? StorageError {
      let reported = error.natterError
      self.init(
        code: ExitCode(reading: error), text: localizer(reported.key, reported.arguments))
      return
    }
    let failure = LaunchFailure.commandFailure(error, localizer: localizer)
    // To `search`, 1 means that nothing was found.
    let isData = failure.code == .failed && !(error is CommandFailure)
    self.init(code: isData ? .badData : failure.code, text: failure.text)
  }
}

extension ExitCode {
  /// The exit code for a database that cannot be read.
  nonisolated init(reading error: StorageError) {
    self =
      switch error {
      case .damaged, .newerSchema, .olderSchema, .developmentSchema, .foreign, .notAFile: .badData
      case .locked: .temporary
      case .notWritable: .badConfiguration
      case .full, .underlying: .internalError
      }
  }
}
