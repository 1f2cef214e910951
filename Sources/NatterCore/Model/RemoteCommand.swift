import XMPP

/// Something that a server, a service or somebody's program lets one do, step by step (XEP-0050).
package struct RemoteCommand: Hashable, Sendable, Identifiable {
  /// Who does it.
  package let jid: JID
  /// What it is called among programs.
  package let node: String
  /// What it is called among people; from outside.
  package let name: String

  package var id: String { "\(jid) \(node)" }

  package init(jid: JID, node: String, name: String) {
    self.jid = jid
    self.node = node
    self.name = name
  }
}

/// Where a command stands after a step.
package struct RemoteCommandStage: Hashable, Sendable {
  /// What can be done from here.
  package enum Step: String, Hashable, Sendable, CaseIterable { case previous, next, complete }

  package let command: RemoteCommand
  /// What the other side calls this run of it; `nil`: it keeps none.
  package let session: String?
  /// Whether it waits for an answer.
  package let isOpen: Bool
  package let steps: Set<Step>
  /// What is done when the person just goes on.
  package let preferred: Step
  /// What the other side says; from outside.
  package let notes: [String]
  /// What it asks, or has found.
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
