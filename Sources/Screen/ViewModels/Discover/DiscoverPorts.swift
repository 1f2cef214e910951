import NatterCore

/// The ports of Discover, each as narrow as its use.
package struct DiscoverPorts {
  package let rooms: any PublicRoomFinding
  package let parts: any ServerComponentFinding
  package let invitations: any InvitationMaking
  package let feeds: any FeedReading
  package let events: any EventPlanning

  package init(
    rooms: any PublicRoomFinding, parts: any ServerComponentFinding,
    invitations: any InvitationMaking,
    feeds: any FeedReading, events: any EventPlanning
  ) {
    self.rooms = rooms
    self.parts = parts
    self.invitations = invitations
    self.feeds = feeds
    self.events = events
  }
}
