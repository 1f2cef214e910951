import NatterCore

/// What Discover reads and changes, each as narrow as the use.
package struct DiscoverPorts {
  package let rooms: any PublicRoomFinding

  package init(rooms: any PublicRoomFinding) { self.rooms = rooms }
}
