/// A service that keeps the channel of the session, from before the session starts until it ends.
package protocol ChannelHolding: Actor, SessionConsuming {
  /// The channel of the session; `nil`: there is none.
  var channel: (any StanzaChannel)? { get set }
}

extension ChannelHolding {
  package func channelOpened(_ channel: any StanzaChannel) async { self.channel = channel }
  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
  }
  package func sessionEnded() async { channel = nil }
}
