/// Commands that another entity offers, run step by step (XEP-0050).
package enum XEP0050 {
  package static let namespace = "http://jabber.org/protocol/commands"

  package enum Action: String, Hashable, Sendable, CaseIterable {
    case cancel, complete, execute, next, prev
  }
  package enum Status: String, Hashable, Sendable { case executing, completed, canceled }

  /// Asks `jid` which commands there are (§2.1).
  package static func list(of jid: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", Namespace.discoItems, ["node": namespace])])
  }

  /// Begins a command, or goes on with it (§2.4).
  /// - Parameter session: as the answer to the first step has it.
  package static func request(
    _ node: String, of jid: JID, session: String? = nil, action: Action = .execute,
    form: XEP0004DataForm? = nil
  ) -> Element {
    var command = Element("command", namespace, ["node": node, "action": action.rawValue])
    command["sessionid"] = session
    if let form { command.append(form.element) }
    return Element(
      "iq", Namespace.client, ["type": "set", "to": jid.description], [command])
  }

  /// A sentence beside a form (§4.3).
  package struct Note: Hashable, Sendable {
    package let isError: Bool
    /// From outside.
    package let text: String
  }

  /// An answer to one step.
  package struct Reply: Hashable, Sendable {
    package let session: String?
    package let status: Status
    /// What can be done next; of a command that goes on, finishing at least (§3.4).
    package let actions: Set<Action>
    /// What is done when the person just goes on.
    package let preferred: Action
    package let notes: [Note]
    package let form: XEP0004DataForm?

    package init?(_ answer: Element) {
      guard let command = answer.first("command", namespace) else { return nil }
      session = command["sessionid"]
      status = command["status"].flatMap(Status.init) ?? .completed
      let offered = command.first("actions", namespace)
      let named = Set(offered?.elements.compactMap { Action(rawValue: $0.name) } ?? [])
      let actions = named.isEmpty ? [.complete] : named
      self.actions = actions
      let wanted = offered?["execute"].flatMap(Action.init)
      preferred =
        wanted.flatMap { actions.contains($0) ? $0 : nil }
        ?? (actions.contains(.next) ? .next : .complete)
      notes = command.all("note", namespace).map {
        Note(isError: $0["type"] == "error", text: $0.text)
      }
      form = command.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
    }
  }
}
