import Diagnostics
import NatterCore
import XMPP

/// Carbons: enables the server's copies of what the account's other clients send and receive
/// (XEP-0280), where it can.
package actor CarbonCopies: SessionConsuming, CarbonReporting {
  private let log: Log
  /// `true` if everything that the account sends and receives arrives here.
  package private(set) var isOn = false

  package init(log: Log) { self.log = log }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    isOn = session.hasCarbons
    if isOn { return }
    do {
      // Enable it without discovery: a server without support answers with an error, and presence
      // waits for one answer less.
      _ = try await channel.request(XEP0280Carbon.enabling)
      isOn = true
    } catch {
      // The archive brings the messages of the other clients, at the next login.
      log.info("the server sends no copies of what other clients do: \(error)")
    }
  }

  package func sessionEnded() async { isOn = false }
}
