import NatterCore
import Text
import XMPP

/// The details of a room: the known data at once, then the room's own answer.
struct RoomForm {
  let shell: ShellViewModel
  let finder: any PublicRoomFinding

  private var format: ItemFormat { shell.format }
  private var localizer: Localizer { shell.format.localizer }

  private enum Button {
    static let join = "join"
    static let share = "share"
    static let close = "close"
  }

  func name(of room: PublicRoom) -> String {
    let name = room.name.isEmpty ? room.jid.local ?? room.jid.domain : room.name
    return shell.people.claimed(name, by: room.jid)
  }

  /// Returns the access in a word; empty if it is unknown.
  func access(of room: PublicRoom) -> String {
    guard room.isDescribed else { return "" }
    if room.traits.contains(.passwordProtected) { return localizer("discover.door.password") }
    return localizer(
      room.traits.contains(.membersOnly) ? "discover.door.members" : "discover.door.open")
  }

  /// Returns occupants, language and access as text.
  func facts(of room: PublicRoom) -> [String] {
    var facts: [String] = []
    if let people = room.people { facts.append(localizer.plural("header.people", people)) }
    if let language = room.language { facts.append(ErrorText.oneLine(language)) }
    if room.isDescribed { facts.append(access(of: room)) }
    for (trait, key) in [
      (Room.Trait.moderated, "moderated"), (.nonAnonymous, "nonAnonymous"),
      (.archive, "archive"), (.temporary, "temporary"),
    ] where room.traits.contains(trait) {
      facts.append(localizer("discover.trait.\(key)"))
    }
    return facts
  }

  /// Shows the details of one of the account's own rooms.
  func show(_ room: Room) {
    show(
      PublicRoom(
        jid: room.jid, directory: JID(local: nil, domain: room.jid.domain),
        name: shell.people.name(of: room.jid), topic: room.subject,
        people: room.phase == .inside ? room.people : nil, traits: room.traits,
        isDescribed: room.phase == .inside))
  }

  func show(_ room: PublicRoom) {
    var known = LoadedPreview(preview: RoomPreview(room: room))
    let form = FormViewModel(
      title: name(of: room), fields: fields(known),
      keyHints: [localizer.hint("form.keysSubmit"), localizer.wayOut("dialog.keysClose")],
      defaultButton: Button.join)
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = { [shell] id in
      close()
      switch id {
      case Button.join:
        do {
          try shell.actions.request("rooms/join", ["jid": room.jid.description])
        } catch {
          shell.report(error)
        }
      case Button.share:
        shell.share(ResourceAddress.xmpp(room.jid, query: "join"), title: name(of: room))
      default: break
      }
    }
    // In parallel with the rest: a room that does not answer this request may answer others.
    shell.lifetime.aside { [weak form, shell] in
      guard let id = shell.people.room(room.jid)?.pictureID,
        let picture = try? await shell.ports.people?.describing.picture(id, of: room.jid)
      else { return }
      known.picture = picture
      form?.replace(title: name(of: known.preview.room), fields: fields(known), focus: nil)
    }
    shell.lifetime.aside { [weak form, finder] in
      do {
        known.preview = try await finder.preview(of: room.jid)
        known.isWhole = true
        form?.replace(title: name(of: known.preview.room), fields: fields(known), focus: nil)
      } catch {
        form?.message = FormMessage(
          .info, [format.text(NatterError(reporting: error, key: "error.unexpected").notice)])
      }
    }
  }

  /// The data about the room that is known so far.
  private struct LoadedPreview {
    var preview: RoomPreview
    var picture: AvatarPicture?
    /// True if the room has answered.
    var isWhole = false
  }

  /// Returns a message of the room, in the form that occupants see.
  private func said(_ line: RoomPreview.Line) -> String {
    let (nick, text) = (
      People.nick(ErrorText.oneLine(line.nick)), ErrorText.oneLine(line.text)
    )
    return format.shown(
      text.hasPrefix("/me ") ? "* \(nick) \(text.dropFirst(4))" : "\(nick): \(text)")
  }

  private func fields(_ known: LoadedPreview) -> [FormField] {
    let (preview, room) = (known.preview, known.preview.room)
    let own = shell.people.room(room.jid)
    func entry(_ key: String, _ text: String) -> FormField {
      FormField(.entry(term: localizer("discover.preview.\(key)")), key, label: text)
    }
    var fields = [entry("address", room.jid.description)]
    let facts = facts(of: room)
    if !facts.isEmpty { fields.append(entry("kind", localizer.list(facts))) }
    let topic = ErrorText.oneLine(room.topic)
    if !topic.isEmpty { fields.append(entry("topic", topic)) }
    // The account's own rooms are known without a query.
    let description = ErrorText.oneLine(
      known.isWhole ? preview.description : own?.about ?? preview.description)
    if !description.isEmpty, description != topic { fields.append(entry("about", description)) }
    if !preview.nicks.isEmpty {
      let nicks = localizer.list(preview.nicks.prefix(20).map { ErrorText.oneLine($0) })
      fields.append(
        entry("here", nicks + (preview.nicks.count > 20 ? " " + format.glyphs.ellipsis : "")))
    }
    if let picture = known.picture { fields.append(entry("picture", format.text(of: picture))) }
    if !known.isWhole {
      fields.append(FormField(.paragraph, "asking", label: localizer("discover.preview.asking")))
    }
    if !preview.lines.isEmpty {
      fields.append(FormField(.spacer, "gap-lines"))
      fields += preview.lines.suffix(5).enumerated().map { offset, line in
        FormField(
          .paragraph, "line\(offset)",
          label: format.moment(line.sentAt, now: shell.now()) + " " + said(line))
      }
    }
    let isInside = own?.phase == .inside
    return fields + [
      FormField(.spacer, "gap"),
      FormField(
        .button, Button.join, label: localizer(isInside ? "discover.goTo" : "discover.join")),
      FormField(.button, Button.share, label: localizer("discover.share")),
      FormField(.button, Button.close, label: localizer("discover.close")),
    ]
  }
}
