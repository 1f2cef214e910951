import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct MembersViewModelTests {
  let room = JID(local: "den", domain: "rooms.example.org")

  private func model(_ occupants: Occupant...) -> MembersViewModel {
    let model = MembersViewModel(format: testFormat())
    model.show(room)
    model.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    model.handle(.occupantsChanged(OccupantChanges(room: room, changed: occupants)))
    return model
  }

  @Test func `moderators come first, then everybody by name, whatever the case`() {
    let model = model(
      Occupant(nick: "zoe"), Occupant(nick: "Bob"), Occupant(nick: "alice", role: .moderator),
      Occupant(nick: "anna", role: .visitor))
    #expect(
      model.items.map(\.name) == [
        "MODERATORS", "alice (you)", "PEOPLE", "Bob", "zoe", "VISITORS", "anna",
      ])
    #expect(model.items[1].isOwn && model.title == "4 people")
  }

  @Test func `nicks that differ only in case keep their order`() {
    let nicks = (0..<32).map { index in
      String("abcde".enumerated().map { index >> $0 & 1 == 0 ? $1 : Character($1.uppercased()) })
    }
    let model = model()
    model.handle(
      .occupantsChanged(
        OccupantChanges(room: room, changed: nicks.map { Occupant(nick: $0) })))
    #expect(model.nicks == nicks.sorted())
  }

  @Test func `who leaves goes, and a reset takes everybody`() {
    let model = model(Occupant(nick: "bob"), Occupant(nick: "carol"))
    model.handle(.occupantsChanged(OccupantChanges(room: room, removed: ["bob"])))
    #expect(model.nicks == ["carol"])
    model.handle(
      .occupantsChanged(
        OccupantChanges(room: room, isReset: true, changed: [Occupant(nick: "dave")])))
    #expect(model.nicks == ["dave"])
  }

  @Test func `two thousand people are sorted once`() {
    let model = model()
    model.handle(
      .occupantsChanged(
        OccupantChanges(room: room, changed: (0..<2000).map { Occupant(nick: "n\($0)") })))
    #expect(model.count == 2000 && model.items.count == 2001)
    model.moveSelection(.max)
    #expect(model.selection == "n999")
    model.moveSelection(1)
    #expect(model.selection == "n999")
  }

  @Test func `people of another room change nothing here`() {
    let model = model(Occupant(nick: "bob"))
    model.handle(
      .occupantsChanged(
        OccupantChanges(
          room: JID(local: "other", domain: "rooms.example.org"), changed: [Occupant(nick: "eve")]
        )))
    #expect(model.nicks == ["bob"])
  }
}

@Suite struct RoomFormTests {
  private func model(_ fields: DataForm.Field...) -> RoomFormViewModel {
    RoomFormViewModel(
      DataForm(instructions: ["Change what you like."], fields: fields), title: "Settings",
      localizer: english())
  }

  @Test func `every kind of field can be seen, and what the user did not change is not answered`() {
    let options = [
      DataForm.Option(label: "All", value: "a"), DataForm.Option(label: "Some", value: "s"),
    ]
    let model = model(
      .init(name: "b", kind: .boolean, label: "B", values: ["true"]),
      .init(name: "t", kind: .text, label: "T", values: ["x"]),
      .init(name: "p", kind: .secret, label: "P"),
      .init(name: "l", kind: .lines, label: "L", values: ["1", "2"]),
      .init(name: "j", kind: .addresses, label: "J", values: ["a@b"]),
      .init(name: "c", kind: .choice(options), label: "C", values: ["s"]),
      .init(name: "m", kind: .choices(options), label: "M", values: ["a", "gone"]),
      .init(name: "", kind: .note, label: "Read me"))
    #expect(model.answers.isEmpty)
    #expect(model.form["field 3"]?.text == "1 | 2")
    model.form.update("field 0") { $0.isOn = false }
    model.form.update("field 1") { $0.text = "y" }
    model.form.update("field 3") { $0.text = "1 | 3" }
    model.form.update("field 4") { $0.text = "a@b, c@d" }
    model.form.update("field 5") { $0.selected = 0 }
    model.form.update("field 6 1") { $0.isOn = true }
    #expect(
      model.answers == [
        "b": ["0"], "t": ["y"], "l": ["1", "3"], "j": ["a@b", "c@d"], "c": ["a"], "m": ["a", "s"],
      ])
  }

  @Test(arguments: [
    ("en", "Who sees addresses", "Moderators", "Stays when everybody has left"),
    ("fr", "Qui voit les adresses", "Modérateurs", "Reste quand tout le monde est parti"),
    ("zh-Hans", "谁能看到地址", "主持人", "所有人离开后保留"),
  ])
  func `what is known by name is called what it is here, the rest what the server calls it`(
    tag: String, whois: String, moderators: String, stays: String
  ) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    let options = [
      DataForm.Option(label: "Nur Ratgeber", value: "moderators"),
      DataForm.Option(label: "Eigenes", value: "own"),
    ]
    let model = RoomFormViewModel(
      DataForm(
        fields: [
          .init(
            name: "muc#roomconfig_whois", kind: .choice(options), label: "Wer", values: ["own"]),
          .init(
            name: "muc#roomconfig_persistentroom", kind: .boolean, label: "Bleibt", values: ["1"]),
          .init(name: "muc#roomconfig_own", kind: .text, label: "Eigenes Feld"),
          .init(name: "own", kind: .text, label: "Noch eins"),
        ]), title: "x", localizer: localizer)
    #expect(
      model.form.fields.prefix(4).map(\.label) == [whois, stays, "Eigenes Feld", "Noch eins"])
    #expect(model.form["field 0"]?.kind == .choice([moderators, "Eigenes"]))
    #expect(model.form["field 0"]?.selectedWord == "Eigenes")
    model.form.update("field 0") { $0.selected = 0 }
    #expect(model.answers == ["muc#roomconfig_whois": ["moderators"]])
  }

  @Test func `saving answers once and closes, cancelling answers nothing`() {
    for (button, count) in [("save", 1), ("cancel", 0)] {
      let model = model(.init(name: "t", kind: .text, label: "T", values: ["x"]))
      var answered = 0
      var closed = 0
      model.onSubmit = { _ in answered += 1 }
      model.close = { closed += 1 }
      model.form.update("field 0") { $0.text = "y" }
      model.form.press(button)
      model.form.press(button)
      #expect(answered == count && closed == 1)
    }
  }
}
