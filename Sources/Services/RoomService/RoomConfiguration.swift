import Diagnostics
import NatterCore
import XML
import XMPP

/// The configuration of rooms by their owner (XEP-0045 §10).
final class RoomConfiguration {
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

  /// Returns the form of the room as it is now.
  func form(of room: JID) async throws -> XEP0004DataForm {
    let answer = try await registry.ask(XEP0045.ownership("get", room: room))
    guard let form = Self.form(in: answer) else {
      throw NatterError(.refused, "error.room.noSettings")
    }
    return form
  }

  private static func form(in answer: Element) -> XEP0004DataForm? {
    answer.first("query", XEP0045.owner)?.first("x", Namespace.dataForms)
      .flatMap { XEP0004DataForm($0) }
  }

  func configure(_ room: JID, with answers: [String: [String]]) async throws {
    // Another owner may have changed what is not answered here.
    let form = try await form(of: room)
    _ = try await registry.ask(
      XEP0045.ownership("set", room: room, form.answered(answers).element))
    await noteAccess(of: room, form, answers)
    // Its name and its kind may have changed.
    try await information.read(room) { try await registry.ask($0) }
  }

  /// Stores a room's new password: its owner could not join again with the previous one.
  private func noteAccess(
    of room: JID, _ form: XEP0004DataForm, _ answers: [String: [String]]
  ) async {
    func value(_ name: String) -> String? {
      form[name].map { (answers[name] ?? $0.values).first ?? "" }
    }
    guard let state = registry.rooms[room], let secret = value("muc#roomconfig_roomsecret") else {
      return
    }
    let isLocked = value("muc#roomconfig_passwordprotectedroom").map { ["1", "true"].contains($0) }
    // A server that does not show the one there is leaves it as it was.
    if isLocked != false, secret.isEmpty,
      isLocked == true || answers["muc#roomconfig_roomsecret"] == nil
    {
      return
    }
    let password = isLocked == false || secret.isEmpty ? nil : secret
    guard password != state.bookmark.password else { return }
    registry.rooms[room]?.bookmark.password = password
    if state.isKept { registry.rooms[room]?.bookmark.noteChange() }
    await registry.save(room)
    if state.isKept { registry.schedule(.publishBookmark(room)) }
  }

  func destroy(_ room: JID, reason: String?) async throws {
    var destroy = Element("destroy", XEP0045.owner)
    if let reason, !reason.isEmpty {
      destroy.append(Element("reason", XEP0045.owner, text: reason))
    }
    _ = try await registry.ask(XEP0045.ownership("set", room: room, destroy))
  }

  // MARK: - A new room

  /// A room created by joining is locked until it is configured (XEP-0045 §10.1.2): it gets the
  /// server's defaults, except that messages are to be kept.
  func configure(newRoom jid: JID, _ attempt: Int) async {
    guard let channel = registry.channel else { return }
    do {
      try await setUp(jid, over: channel)
      registry.hub.publish(.roomIncident(RoomIncident(room: jid, .created)))
      try await information.read(jid) { try await channel.request($0) }
    } catch {
      guard registry.rooms[jid]?.attempt == attempt else { return }
      registry.hub.publish(.notice(StatusNotice(.warning, "error.room.notOpened")))
      registry.log.warning("a new room could not be set up: \(error)")
    }
  }

  private func setUp(_ jid: JID, over channel: any StanzaChannel) async throws {
    do {
      let offer = try await channel.request(XEP0045.ownership("get", room: jid))
      if let form = Self.form(in: offer) {
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
