/// Commands that an entity offers to be run (XEP-0050), as far as they answer in one step.
package enum XEP0050 {
  package static let namespace = "http://jabber.org/protocol/commands"

  /// The request that runs the command `node` at once (§4.1).
  package static func execute(_ node: String, at entity: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "set", "to": entity.description],
      [Element("command", namespace, ["node": node, "action": "execute"])])
  }

  /// What a command has answered (§4.1, §4.3).
  package struct Outcome: Hashable, Sendable {
    /// Whether nothing more is asked.
    package let isCompleted: Bool
    package let form: XEP0004DataForm?
    /// What it says of an error; `nil`: there was none.
    package let failure: String?
  }

  /// Reads the answer to `execute`; `nil` when it is none.
  package static func outcome(in answer: Element) -> Outcome? {
    guard let command = answer.first("command", namespace) else { return nil }
    return Outcome(
      isCompleted: command["status"] == "completed",
      form: command.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) },
      failure: command.all("note", namespace).first { $0["type"] == "error" }?.text)
  }
}
