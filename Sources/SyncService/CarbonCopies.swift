import Diagnostics
import NatterCore
import XMPP

/// Has the server send copies of what the account's other clients send and receive (XEP-0280), where it can.
package actor CarbonCopies: SessionConsuming {
  private let account: JID
  private let log: Log
  /// Whether everything that the account sends and receives arrives here.
  package private(set) var isOn = false

  package init(account: JID, log: Log) {
    self.account = account.bare
    self.log = log
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    isOn = session.hasCarbons
    if isOn { return }
    do {
      let question = Element(
        "iq", Namespace.client, ["type": "get", "to": account.domain],
        [Element("query", Namespace.discoInfo)])
      let answer = try await channel.request(question)
      guard
        let features = answer.first("query", Namespace.discoInfo)
          .flatMap({ XEP0030Discovery($0) })?.features,
        features.contains(XEP0280Carbon.namespace)
      else { return }
      _ = try await channel.request(XEP0280Carbon.enabling)
      isOn = true
    } catch {
      // Then the archive brings what the other clients did, at the next login.
      log.warning("the server sends no copies of what other clients do: \(error)")
    }
  }

  package func sessionEnded() async { isOn = false }
}
