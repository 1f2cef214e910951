import Diagnostics
import NatterCore
import XML
import XMPP

// Rooms that are made by entering them (XEP-0045 §10.1).
extension RoomKeeper {
  /// The configuration of a new room where its server offers it: persistent, and archived. Prosody
  /// destroys other rooms with the last occupant, archive included. `mam` is ejabberd's name.
  private static let options = [
    "muc#roomconfig_persistentroom", "muc#roomconfig_enablearchiving", "mam",
  ]

  /// A room created by joining is locked until it is configured (XEP-0045 §10.1.2): it gets the
  /// server's defaults, except that messages are to be kept.
  func open(newRoom jid: JID, _ attempt: Int) async {
    guard let channel else { return }
    do {
      try await setUp(jid, over: channel)
      hub.publish(.roomIncident(RoomIncident(room: jid, .created)))
      let answer = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "get", "to": jid.description],
          [Element("query", Namespace.discoInfo)]))
      if let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) }) {
        await learn(found, of: jid)
      }
    } catch {
      guard rooms[jid]?.attempt == attempt else { return }
      hub.publish(.notice(StatusNotice(.warning, "error.room.notOpened")))
      log.warning("a new room could not be set up: \(error)")
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
      log.info("a new room is taken as it is: \(error)")
    }
    _ = try await channel.request(
      XEP0045.ownership("set", room: jid, XEP0004DataForm(.submit).element))
  }
}
