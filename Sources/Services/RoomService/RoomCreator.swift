import Diagnostics
import NatterCore
import XML
import XMPP

/// Sets up rooms that are made by entering them (XEP-0045 §10.1).
final class RoomCreator {
  /// The configuration of a new room where its server offers it: persistent, and archived. Prosody
  /// destroys other rooms with the last occupant, archive included. `mam` is ejabberd's name.
  private static let options = [
    "muc#roomconfig_persistentroom", "muc#roomconfig_enablearchiving", "mam",
  ]

  private let registry: RoomRegistry
  private let information: RoomInformation

  init(registry: RoomRegistry, information: RoomInformation) {
    self.registry = registry
    self.information = information
  }

  /// A room created by joining is locked until it is configured (XEP-0045 §10.1.2): it gets the
  /// server's defaults, except that messages are to be kept.
  func configure(newRoom jid: JID, _ attempt: Int) async {
    guard let channel = registry.channel else { return }
    do {
      try await setUp(jid, over: channel)
      registry.hub.publish(.roomIncident(RoomIncident(room: jid, .created)))
      let answer = try await channel.request(RoomInformation.question(to: jid))
      await information.learn(from: answer, of: jid)
    } catch {
      guard registry.rooms[jid]?.attempt == attempt else { return }
      registry.hub.publish(.notice(StatusNotice(.warning, "error.room.notOpened")))
      registry.log.warning("a new room could not be set up: \(error)")
    }
  }

  private func setUp(_ jid: JID, over channel: any StanzaChannel) async throws {
    do {
      let offer = try await channel.request(XEP0045.ownership("get", room: jid))
      let form = offer.first("query", XEP0045.owner)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) }
      if let form {
        let answers = Self.options.filter { form[$0]?.kind == .boolean }.map { ($0, ["1"]) }
        _ = try await channel.request(
          XEP0045.ownership(
            "set", room: jid, form.answered(Dictionary(uniqueKeysWithValues: answers)).element))
        return
      }
    } catch let error as StanzaError {
      // The server decides, for example where only its administrator creates persistent rooms.
      registry.log.info("a new room is taken as it is: \(error)")
    }
    _ = try await channel.request(
      XEP0045.ownership("set", room: jid, XEP0004DataForm(.submit).element))
  }
}
