import NatterCore
import XML
import XMPP

// What an owner may do (XEP-0045 §10), and where the server has its rooms.
extension RoomKeeper: RoomOwning {
  package func configuration(of room: JID) async throws -> DataForm {
    let answer = try await ask(XEP0045.ownership("get", room: room.bare))
    guard
      let form = answer.first("query", XEP0045.owner)?.first("x", Namespace.dataForms)
        .flatMap({ XEP0004DataForm($0) })
    else { throw NatterError(.refused, "error.room.noSettings") }
    return DataForm(form)
  }

  package func configure(_ room: JID, with answers: [String: [String]]) async throws {
    // The form as it is now: another owner may have changed what is not answered here.
    let answer = try await ask(XEP0045.ownership("get", room: room.bare))
    guard
      let form = answer.first("query", XEP0045.owner)?.first("x", Namespace.dataForms)
        .flatMap({ XEP0004DataForm($0) })
    else { throw NatterError(.refused, "error.room.noSettings") }
    _ = try await ask(
      XEP0045.ownership("set", room: room.bare, form.answered(answers).element))
    await noteAccess(of: room.bare, form, answers)
    // Its name and its kind may have changed.
    let reported = try await ask(
      Element(
        "iq", Namespace.client, ["type": "get", "to": room.bare.description],
        [Element("query", Namespace.discoInfo)]))
    if let found = reported.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) }) {
      await learn(found, of: room.bare)
    }
  }

  /// Stores a room's new password: its owner could not join again with the previous one.
  private func noteAccess(
    of room: JID, _ form: XEP0004DataForm, _ answers: [String: [String]]
  ) async {
    func value(_ name: String) -> String? {
      form[name].map { (answers[name] ?? $0.values).first ?? "" }
    }
    guard let state = rooms[room], let secret = value("muc#roomconfig_roomsecret") else { return }
    let isLocked = value("muc#roomconfig_passwordprotectedroom").map { ["1", "true"].contains($0) }
    // A server that does not show the one there is leaves it as it was.
    if isLocked != false, secret.isEmpty,
      isLocked == true || answers["muc#roomconfig_roomsecret"] == nil
    {
      return
    }
    let password = isLocked == false || secret.isEmpty ? nil : secret
    guard password != state.bookmark.password else { return }
    rooms[room]?.bookmark.password = password
    let isKept = state.bookmark.autojoins || state.bookmark.isPublished
    if isKept { rooms[room]?.bookmark.isChanged = true }
    await save(room)
    if isKept { publishBookmark(of: room) }
  }

  package func destroy(_ room: JID, reason: String?) async throws {
    var destroy = Element("destroy", XEP0045.owner)
    if let reason, !reason.isEmpty {
      destroy.append(Element("reason", XEP0045.owner, text: reason))
    }
    _ = try await ask(XEP0045.ownership("set", room: room.bare, destroy))
  }

  package func address(ofRoom name: String) async throws -> JID {
    await load()
    let wanted = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if let known = rooms.values.first(where: {
      $0.room.name == wanted || $0.room.jid.local == wanted.lowercased()
    }) {
      return known.room.jid
    }
    guard let service = try await service(),
      let jid = JID(parsing: "\(wanted)@\(service.description)"), jid.isBare
    else {
      throw NatterError(.refused, "error.room.noService", ["name": name])
    }
    return jid
  }

  /// The part of the own server that has the rooms (XEP-0030 §4).
  private func service() async throws -> JID? {
    if let known { return known }
    let list = try await ask(
      Element(
        "iq", Namespace.client, ["type": "get", "to": account.domain],
        [Element("query", Namespace.discoItems)]))
    let parts = list.first("query", Namespace.discoItems).map { XEP0030Item.items(in: $0) } ?? []
    for part in parts {
      guard await inquiry.hasRooms(part.jid) else { continue }
      known = part.jid
      return part.jid
    }
    return nil
  }
}
