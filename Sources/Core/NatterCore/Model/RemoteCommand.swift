import XMPP

/// An ad-hoc command of a server, a service or another client (XEP-0050).
package struct RemoteCommand: Hashable, Sendable, Identifiable {
  /// The entity that executes it.
  package let jid: JID
  /// The protocol name.
  package let node: String
  /// The display name; untrusted.
  package let name: String

  package var id: String { "\(jid) \(node)" }

  package init(jid: JID, node: String, name: String) {
    self.jid = jid
    self.node = node
    self.name = name
  }
}

/// The state of a command after a step.
package struct RemoteCommandStage: Hashable, Sendable {
  /// The next steps that are allowed.
  package enum Step: String, Hashable, Sendable, CaseIterable { case previous, next, complete }

  package let command: RemoteCommand
  /// The session id of the responder; `nil`: none.
  package let session: String?
  /// Indicates whether it waits for input.
  package let isOpen: Bool
  package let steps: Set<Step>
  /// The default step.
  package let preferred: Step
  /// The notes of the responder; untrusted.
  package let notes: [String]
  /// The form to fill in, or the result.
  package let form: DataForm?

  package init(
    command: RemoteCommand, session: String? = nil, isOpen: Bool, steps: Set<Step> = [],
    preferred: Step = .complete, notes: [String] = [], form: DataForm? = nil
  ) {
    self.command = command
    self.session = session
    self.isOpen = isOpen
    self.steps = steps
    self.preferred = preferred
    self.notes = notes
    self.form = form
  }
}
