import Diagnostics
import NatterCore
import XMPP

/// Has the server send copies of what the account's other clients send and receive (XEP-0280), where it can.
package actor CarbonCopies: SessionConsuming, CarbonReporting {
  private let log: Log
  /// Whether everything that the account sends and receives arrives here.
  package private(set) var isOn = false

  package init(log: Log) { self.log = log }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    isOn = session.hasCarbons
    if isOn { return }
    do {
      // Whether it can is not asked first: one that cannot says so, and presence waits for one answer less.
      _ = try await channel.request(XEP0280Carbon.enabling)
      isOn = true
    } catch {
      // Then the archive brings what the other clients did, at the next login.
      log.info("the server sends no copies of what other clients do: \(error)")
    }
  }

  package func sessionEnded() async { isOn = false }
}
