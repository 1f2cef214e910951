import XMPP

/// Runs what others let one do. Everything throws `NatterError`.
package protocol RemoteCommandRunning: Sendable {
  /// What `jid` offers: a server, a service, or somebody, whose programs are asked each.
  func commands(of jid: JID) async throws -> [RemoteCommand]
  func begin(_ command: RemoteCommand) async throws -> RemoteCommandStage
  /// - Parameter answers: the fields that were changed, by name.
  func go(
    _ step: RemoteCommandStage.Step, from stage: RemoteCommandStage, answers: [String: [String]]
  )
    async throws -> RemoteCommandStage
  /// Tells the other side that nobody goes on with it.
  func cancel(_ stage: RemoteCommandStage) async throws
}
