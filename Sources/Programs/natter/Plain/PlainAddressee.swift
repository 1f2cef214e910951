import Text
import ViewModels
import XMPP

/// The search for the contact or room that typed text means in line mode.
struct PlainAddressee {
  let session: PlainSession

  /// The JID for a text: an address, or the name of a known contact or room. Sends nothing.
  /// - Returns: `nil` without one, which is printed.
  func find(_ text: String) -> JID? {
    if text.hasAddressMark, let jid = JID(userInput: text), jid.local != nil { return jid }
    let wanted = text.lowercased()
    let found = session.people.union(session.rooms.keys).filter {
      session.name($0).lowercased() == wanted || $0.local?.lowercased() == wanted
        || $0.shown.lowercased() == wanted || $0.shownLocal?.lowercased() == wanted
    }
    if found.count == 1 { return found.first }
    // Of an address that nothing is known of, also the form that is displayed (XEP-0106).
    if found.isEmpty, let jid = JID(userInputAsShown: text) { return jid }
    session.say(found.isEmpty ? "plain.unknown-person" : "plain.several-people", ["name": text])
    return nil
  }
}
