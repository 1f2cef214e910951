import XML

/// Ad-hoc commands that another entity offers, run step by step (XEP-0050).
package enum XEP0050 {
  package static let namespace = "http://jabber.org/protocol/commands"

  /// The actions of a step, with their names on the wire (§3.4).
  package enum Action: String, Hashable, Sendable, CaseIterable {
    case cancel, complete, execute, next, prev
  }
  /// The state of a command after a step.
  package enum Status: String, Hashable, Sendable { case executing, completed, canceled }

  /// Returns the commands of an entity (§2.1): items with a node.
  /// - Throws: As `XEP0030Item.list`.
  package static func list(
    of jid: JID, over channel: any StanzaChannel, timeout: Duration = .seconds(30)
  ) async throws -> [XEP0030Item] {
    try await XEP0030Item.list(of: jid, node: namespace, over: channel, timeout: timeout)
      .filter { $0.node != nil }
  }

  /// Returns a request that starts a command or continues it (§2.4).
  /// - Parameter session: The session id of the response to the first step.
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

  /// A note beside a form (§4.3).
  package struct Note: Hashable, Sendable {
    package let isError: Bool
    /// The text. It is outside data.
    package let text: String
  }

  /// The response to a step.
  package struct Reply: Hashable, Sendable {
    package let session: String?
    package let status: Status
    /// The possible next actions; a command that continues allows at least `complete` (§3.4).
    package let actions: Set<Action>
    /// The default action, used when the user just continues.
    package let preferred: Action
    package let notes: [Note]
    package let form: XEP0004DataForm?

    /// Reads the response to a step; `nil` when it has no `<command/>`.
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
