import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Asks rooms that are silent whether the user is in them (XEP-0410), and tries rooms again that
/// did not admit the user for now.
final class SilenceMonitor {
  /// After this many seconds of silence a room is asked whether the user is in it (XEP-0410 §3).
  private static let silenceLimit: TimeInterval = 900
  /// The time between two looks for such rooms.
  private static let checkInterval = Duration.seconds(300)

  private let registry: RoomRegistry
  private let joiner: RoomJoiner
  /// The rooms that are being asked.
  private var pinged: Set<JID> = []

  init(registry: RoomRegistry, joiner: RoomJoiner) {
    self.registry = registry
    self.joiner = joiner
  }

  /// Checks all rooms again and again until the task is cancelled.
  func watch() async {
    while !Task.isCancelled {
      do { try await registry.clock.sleep(Self.checkInterval) } catch { return }
      let limit = registry.clock.now().addingTimeInterval(-Self.silenceLimit)
      for (jid, state) in registry.rooms where registry.channel != nil {
        if state.room.phase == .inside, state.lastHeard < limit {
          registry.schedule(.ping(jid))
        } else if state.room.phase == .outside, state.room.exit?.mayPass == true {
          registry.rooms[jid]?.bookmark.isWanted = true
          joiner.enter(jid)
        }
      }
      registry.publishChanges()
    }
  }

  /// Asks the room whether the user is in it, and joins again if they are not.
  func ping(_ jid: JID) async {
    guard let channel = registry.channel, let state = registry.rooms[jid],
      state.room.phase == .inside, pinged.insert(jid).inserted
    else { return }
    defer { pinged.remove(jid) }
    let attempt = state.attempt
    do {
      _ = try await channel.request(XEP0199Ping.question(to: state.room.occupant))
      registry.rooms[jid]?.lastHeard = registry.clock.now()
    } catch let error as StanzaError {
      switch error.condition {
      // The room passed it on to a client without ping, or to another nick of this account.
      case .serviceUnavailable, .featureNotImplemented, .itemNotFound:
        registry.rooms[jid]?.lastHeard = registry.clock.now()
      // Nothing is known.
      case .remoteServerNotFound, .remoteServerTimeout: break
      default:
        guard let now = registry.rooms[jid], now.attempt == attempt, now.room.phase == .inside
        else { return }
        registry.log.info("a room had forgotten this client: going back in")
        registry.rooms[jid]?.suspend()
        joiner.enter(jid)
        registry.publishChanges()
      }
    } catch {
      // The connection's own heartbeat says what becomes of it.
    }
  }
}
