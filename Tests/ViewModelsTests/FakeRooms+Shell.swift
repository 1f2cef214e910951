import ChatsFixtures
import TestSupport

@testable import ViewModels

extension FakeRooms {
  /// The ports of a shell that has these rooms.
  @MainActor func beside(_ ports: FakePorts) -> ShellViewModel.Ports {
    .init(
      timeline: ports, conversations: ports, histories: ports, roster: ports,
      rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports, sender: ports,
      rooms: .init(
        reading: self, entering: self, moderating: self, owning: self, inviting: self,
        voices: self))
  }
}
