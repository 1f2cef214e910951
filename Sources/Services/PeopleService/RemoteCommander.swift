import NatterCore
import XML
import XMPP

/// Runs ad-hoc commands of servers, services and contacts' clients (XEP-0050).
package actor RemoteCommander: ChannelHolding, RemoteCommandRunning {
  /// The timeout of one step of a command: some commands query other services.
  private static let patience = Duration.seconds(60)

  private let presence: any ResourceReading
  package var channel: (any StanzaChannel)?
  /// The forms of the steps that wait for an answer, by the key of the run; hidden fields are
  /// returned unchanged.
  private var forms: [String: XEP0004DataForm] = [:]

  package init(presence: any ResourceReading) { self.presence = presence }

  package func sessionEnded() async {
    channel = nil
    forms = [:]
  }

  /// Returns the commands of an entity; for a contact those of all available clients.
  /// - Throws: `NatterError` when none of them answers.
  package func commands(of jid: JID) async throws -> [RemoteCommand] {
    let addresses =
      jid.isBare && jid.local != nil
      ? await presence.resources(of: jid).compactMap { jid.with(resource: $0.resource) } : []
    guard !addresses.isEmpty else { return try await list(of: jid) }
    var found: [RemoteCommand] = []
    var refusal: (any Error)?
    for address in addresses {
      do { found += try await list(of: address) } catch { refusal = error }
    }
    if found.isEmpty, let refusal { throw refusal }
    return found
  }

  private func list(of jid: JID) async throws -> [RemoteCommand] {
    let channel = try openChannel()
    let items: [XEP0030Item]
    do {
      items = try await XEP0050.list(of: jid, over: channel, timeout: Self.patience)
    } catch {
      throw NatterError(answering: error)
    }
    return items.compactMap { item in
      item.node.map { RemoteCommand(jid: item.jid, node: $0, name: item.name ?? $0) }
    }
  }

  /// Starts a command, and returns its first stage.
  /// - Throws: `NatterError`, also without a connection.
  package func begin(_ command: RemoteCommand) async throws -> RemoteCommandStage {
    try await stage(of: command, after: XEP0050.request(command.node, of: command.jid))
  }

  /// Submits the answers of a stage, and returns the next one.
  /// - Throws: `NatterError`, also without a connection.
  package func go(
    _ step: RemoteCommandStage.Step, from stage: RemoteCommandStage, answers: [String: [String]]
  ) async throws -> RemoteCommandStage {
    let action: XEP0050.Action =
      switch step {
      case .previous: .prev
      case .next: .next
      case .complete: .complete
      }
    // A step back submits no form (§3.4).
    let form = step == .previous ? nil : forms[key(stage)]?.answered(answers)
    return try await self.stage(
      of: stage.command,
      after: XEP0050.request(
        stage.command.node, of: stage.command.jid, session: stage.session, action: action,
        form: form))
  }

  /// Cancels a running command.
  /// - Throws: `NatterError`, also without a connection.
  package func cancel(_ stage: RemoteCommandStage) async throws {
    forms[key(stage)] = nil
    _ = try await ask(
      XEP0050.request(
        stage.command.node, of: stage.command.jid, session: stage.session, action: .cancel))
  }

  private func stage(of command: RemoteCommand, after request: Element) async throws
    -> RemoteCommandStage
  {
    guard let reply = XEP0050.Reply(try await ask(request)) else {
      throw NatterError(.unexpected, "error.noAnswer")
    }
    let stage = RemoteCommandStage(
      command: command, session: reply.session, isOpen: reply.status == .executing,
      steps: Set(
        reply.actions.compactMap { action in
          switch action {
          case .prev: .previous
          case .next: .next
          case .complete: .complete
          case .execute, .cancel: nil
          }
        }), preferred: reply.preferred == .next ? .next : .complete,
      notes: reply.notes.map(\.text), form: reply.form.map { DataForm($0) })
    forms[key(stage)] = stage.isOpen ? reply.form : nil
    return stage
  }

  private func key(_ stage: RemoteCommandStage) -> String {
    "\(stage.command.id) \(stage.session ?? "")"
  }

  private func ask(_ question: Element) async throws -> Element {
    let channel = try openChannel()
    do { return try await channel.request(question, timeout: Self.patience) } catch {
      throw NatterError(answering: error)
    }
  }
}
