import XMPP

/// Executes ad-hoc commands (XEP-0050). All methods throw `NatterError`.
package protocol RemoteCommandRunning: Sendable {
  /// Returns the commands that `jid` offers: a server, a service, or a contact, whose clients are
  /// queried one by one.
  func commands(of jid: JID) async throws -> [RemoteCommand]
  /// Starts a command and returns its first stage.
  func begin(_ command: RemoteCommand) async throws -> RemoteCommandStage
  /// - Parameter answers: the changed fields, by name.
  func go(
    _ step: RemoteCommandStage.Step, from stage: RemoteCommandStage, answers: [String: [String]]
  )
    async throws -> RemoteCommandStage
  /// Cancels the command at the responder.
  func cancel(_ stage: RemoteCommandStage) async throws
}
