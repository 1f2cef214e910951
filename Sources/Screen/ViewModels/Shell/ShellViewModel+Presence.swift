import NatterCore
import XMPP

// The account's presence, as others see it.
extension ShellViewModel {
  package func setPresence(_ availability: Availability, status text: String?) {
    OwnPresenceChange.set(OwnPresence(availability: availability, status: text), in: self) {}
  }

  /// Shows the account's presence in the top row, which an earlier run or a command may have set.
  func readOwnPresence() {
    lifetime.inOrder { [weak self, ports] in
      let own = await ports.ownPresence.ownPresence()
      self?.tabBar.show(own: own.availability)
    }
  }

  /// Returns whether `event` may come with another presence of the account's own.
  func mayChangeOwnPresence(_ event: DomainEvent) -> Bool {
    switch event {
    case .presenceChanged(let changed): changed.contains { $0.jid.bare == format.account.bare }
    case .connectionChanged(let state): state.isOnline
    default: false
    }
  }
}
