import XMPP

/// A request to a script about something that it has on the screen, or an address, by the choice of
/// the user.
package struct ScriptScreenCall: Hashable, Sendable {
  package enum Request: Hashable, Sendable {
    /// A key of a pane was pressed, on the line of that index.
    case key(Character, line: Int, pane: String)
    /// An address was chosen that the script can open.
    case open(String)
  }

  package let script: String
  package let request: Request
  /// The account and the conversation that are shown, if there are.
  package var account: JID?
  package var conversation: JID?

  package init(script: String, _ request: Request) {
    (self.script, self.request) = (script, request)
  }
}
