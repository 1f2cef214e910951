import NatterCore
import XMPP

/// The synchronization of the archive of each room that is entered: several rooms at a time, the
/// visits to one room in their order.
package struct RoomArchives: Sendable {
  private let archives: any RoomArchiveSyncing
  private let rooms: any RoomViewing

  /// The number of rooms whose archives are read at the same time.
  static let width = 4

  package init(archives: any RoomArchiveSyncing, rooms: any RoomViewing) {
    self.archives = archives
    self.rooms = rooms
  }

  private enum Step: Sendable {
    case entered(JID, RoomMembership, hasArchive: Bool)
    case left(JID)
  }

  /// Follows the events until they end or the task is cancelled.
  package func follow(_ events: AsyncStream<DomainEvent>) async {
    let lanes = (0..<Self.width).map { _ in AsyncStream<Step>.makeStream() }
    func take(_ step: Step, of room: JID) {
      // A room keeps its lane, so that its steps keep their order.
      lanes[Int(room.hashValue.magnitude % UInt(Self.width))].continuation.yield(step)
    }
    await withDiscardingTaskGroup { group in
      for lane in lanes {
        group.addTask { for await step in lane.stream { await perform(step) } }
      }
      for await event in events {
        switch event {
        case .roomEntered(let room, let hasArchive):
          // The user has left again already, or is entering once more, which causes another event.
          guard let view = await rooms.views()[room], view.visit != nil else { continue }
          take(.entered(room, view, hasArchive: hasArchive), of: room)
        case .roomsChanged(let changed):
          for room in changed where room.phase == .outside { take(.left(room.jid), of: room.jid) }
        default: break
        }
      }
      for lane in lanes { lane.continuation.finish() }
    }
  }

  private func perform(_ step: Step) async {
    switch step {
    case .entered(let room, let view, let hasArchive):
      await archives.roomEntered(room, as: view, hasArchive: hasArchive)
    case .left(let room): await archives.roomLeft(room)
    }
  }
}
