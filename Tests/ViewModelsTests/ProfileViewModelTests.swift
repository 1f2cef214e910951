import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct ProfileTextTests {
  @Test(arguments: [
    (PersonCard.Field.birthday, "1990-5-4", "1990-05-04"), (.birthday, "--05-04", "--05-04"),
    (.birthday, "2000-02-29", "2000-02-29"), (.email, " a@b.org ", "a@b.org"),
    (.phone, "+33 1 23/45", "+33-1-23-45"), (.phone, "(030) 12.34", "(030)-12.34"),
    (.web, "alice.example", "https://alice.example"), (.web, "http://a.b/c?d", "http://a.b/c?d"),
    (.note, "  ", ""), (.city, "里昂", "里昂"),
  ])
  func `what is typed is made what a card has`(
    field: PersonCard.Field, typed: String, wanted: String
  ) throws {
    #expect(try ProfileText.checked(typed, for: field).get() == wanted)
  }

  @Test(arguments: [
    (PersonCard.Field.birthday, "1990-02-30"), (.birthday, "1900-02-29"), (.birthday, "4 May"),
    (.birthday, "--13-01"), (.birthday, "90-05-04"), (.birthday, "١٩٩٠-05-04"),
    (.email, "alice"), (.email, "a b@c.d"), (.email, "a@b@c.d"), (.phone, "call me"),
    (.phone, "1+2"), (.phone, "+"), (.web, "ftp://a.b"), (.web, "javascript:alert(1)"),
    (.web, "https://a b"), (.web, "https://"), (.city, String(repeating: "x", count: 201)),
  ])
  func `an invalid value is refused with a text of its own`(field: PersonCard.Field, typed: String)
    throws
  {
    guard case .failure(let error) = ProfileText.checked(typed, for: field) else {
      Issue.record("\(typed) was taken")
      return
    }
    #expect(try englishTexts()[error.key] != nil, "\(error.key)")
  }
}

@Suite struct ProfileViewModelTests {
  private final class Shown {
    var forms: [FormViewModel] = []
    var choices: [ChoiceRequest] = []
    var questions: [ConfirmRequest] = []
  }
  private let shown = Shown()
  private let mediator = Mediator()

  private func model(_ profile: FakeProfile) async -> (ProfileViewModel, ShellViewModel) {
    var actions = ShellActions.forTests()
    let shown = shown
    actions.showForm = {
      shown.forms.append($0)
      return {}
    }
    actions.choose = { shown.choices.append($0) }
    actions.confirm = { shown.questions.append($0) }
    let shell = ShellViewModel(FakePorts(now: .minutes(3)), actions: actions)
    await shell.load()
    let model = ProfileViewModel(shell: shell, profile: profile, mediator: mediator) { path in
      guard path == "/me.png" else {
        throw NatterError(.invalidInput, "error.picture.notThere", ["path": path])
      }
      return OwnPicture(
        id: "abc", base64: "AA==", mediaType: "image/png", byteCount: 4200, width: 1, height: 1)
    }
    await shell.finish()
    return (model, shell)
  }

  private func row(_ id: String, _ model: ProfileViewModel) -> ValueItem? {
    model.items.first { $0.id == id }
  }

  private func type(_ text: String) {
    guard let form = shown.forms.last else { return }
    form.focus(on: "value")
    form.edit(text, cursor: text.count)
    form.press("submit")
  }

  @Test func `a field is typed into a form, checked there, and saved at once`() async {
    let profile = FakeProfile(PersonCard([.email: "old@example.org"]))
    let (model, shell) = await model(profile)
    model.select("email")
    model.open()
    #expect(shown.forms.last?.text(of: "value") == "old@example.org")
    type("nonsense")
    #expect(shown.forms.last?["value"]?.error?.hasPrefix("Not an e-mail address") == true)
    await shell.finish()
    #expect(await profile.calls == [])
    type("new@example.org")
    #expect(row("email", model)?.value == "new@example.org")
    #expect(row("email", model)?.note == "saving ...")
    await shell.finish()
    #expect(await profile.calls == ["email=new@example.org"])
    #expect(row("email", model)?.note == "")
  }

  @Test func `all of it in one form: nothing is sent before Save, then each field by itself`()
    async
  {
    let profile = FakeProfile(
      PersonCard([.fullName: "Alice", .country: "France", .city: "Lyon", .email: "a@b.org"]))
    let (model, shell) = await model(profile)
    model.edit()
    guard let form = shown.forms.last else {
      Issue.record("no form")
      return
    }
    func type(_ text: String, into field: String) {
      form.focus(on: field)
      form.edit(text, cursor: text.count)
    }
    #expect(form.text(of: "city") == "Lyon" && form.trailer == "")
    type("Alice D.", into: "fullName")
    type("nonsense", into: "email")
    #expect(form.trailer == "* changed")
    form.press("save")
    await shell.finish()
    #expect(await profile.calls == [])
    #expect(form.focus == "email" && form["email"]?.error?.isEmpty == false)
    type("", into: "email")
    form.focus(on: "visibility")
    form.choose(by: 1)
    form.press("save")
    await shell.finish()
    #expect(await profile.calls == ["fullName=Alice D.", "email=", "visibility=nobody"])
    #expect(row("fullName", model)?.value == "Alice D." && row("city", model)?.value == "Lyon")
  }

  @Test(arguments: ["forget", "keep"])
  func `another country asks before it empties the city, from the list and when it is typed`(
    answer: String
  ) async {
    let profile = FakeProfile(PersonCard([.country: "France", .city: "Lyon"]))
    mediator.publish(
      Mediator.Inquiry("places/country", optional: ["selected"]) { _, take in take("Spain") })
    let (model, shell) = await model(profile)
    model.edit()
    guard let form = shown.forms.last else {
      Issue.record("no form")
      return
    }
    form.focus(on: "country")
    // Any other key is the form's.
    #expect(form.onChord?("Tab") == false)
    #expect(form.onChord?("Enter") == true)
    #expect(form.text(of: "country") == "Spain" && form.dialog != nil)
    form.pressDialog("keep")
    #expect(form.text(of: "city") == "Lyon")
    form.edit("Peru", cursor: 4)
    form.press("save")
    #expect(form.dialog != nil)
    form.pressDialog(answer)
    await shell.finish()
    #expect(
      await profile.calls
        == (answer == "forget" ? ["country=Peru", "city="] : ["country=Peru"]))
    #expect(shown.questions.isEmpty)
  }

  @Test func `Esc asks where something was changed, Cancel drops it`() async {
    let profile = FakeProfile(PersonCard([.fullName: "Alice"]))
    let (model, shell) = await model(profile)
    for end in ["nothing", "drop", "save", "cancel"] {
      model.edit()
      guard let form = shown.forms.last else { return }
      if end == "nothing" {
        form.cancel()
        #expect(form.dialog == nil)
        continue
      }
      form.focus(on: "nickname")
      form.edit(end, cursor: end.count)
      if end == "cancel" {
        form.press("cancel")
      } else {
        form.cancel()
        #expect(form.dialog?.buttons.map(\.id) == ["save", "drop", "stay"])
        form.pressDialog("stay")
        #expect(form.dialog == nil && form.text(of: "nickname") == end)
        form.cancel()
        form.pressDialog(end)
      }
      await shell.finish()
    }
    #expect(await profile.calls == ["nickname=save"])
  }

  @Test func `what of a form is refused says so on its row, the rest is kept`() async {
    let profile = FakeProfile(PersonCard([.fullName: "Alice"]))
    let (model, shell) = await model(profile)
    model.edit()
    guard let form = shown.forms.last else { return }
    for (field, text) in [("fullName", "Mallory"), ("nickname", "Mal")] {
      form.focus(on: field)
      form.edit(text, cursor: text.count)
    }
    await profile.refuse(NatterError(.refused, "error.noAnswer"))
    form.press("save")
    await shell.finish()
    #expect(row("fullName", model)?.value == "Alice" && row("fullName", model)?.isWrong == true)
    #expect(row("nickname", model)?.value == "Mal" && row("nickname", model)?.isWrong == false)
  }

  @Test func `what is refused: the old value is back, and the field says why`() async {
    let profile = FakeProfile(PersonCard([.fullName: "Alice"]))
    let (model, shell) = await model(profile)
    await profile.refuse(NatterError(.refused, "error.noAnswer"))
    model.select("fullName")
    model.open()
    type("Mallory")
    await shell.finish()
    let name = row("fullName", model)
    #expect(name?.value == "Alice" && name?.isWrong == true)
    #expect(name?.note == english()("error.noAnswer"))
    #expect(model.help.first == name?.note)
    // Another attempt removes the text.
    model.open()
    type("Alice D.")
    await shell.finish()
    #expect(row("fullName", model)?.note == "")
  }

  @Test func `offline a change is shown with what it waits for`() async {
    let profile = FakeProfile(isOnline: false)
    let (model, shell) = await model(profile)
    model.select("note")
    model.open()
    type("tea")
    await shell.finish()
    #expect(row("note", model)?.value == "tea")
    #expect(row("note", model)?.note == "waits for the connection")
    #expect(row("visibility", model)?.value == "as set on the server")
  }

  @Test func `del takes a field away`() async {
    let profile = FakeProfile(PersonCard([.region: "Rhône"]))
    let (model, shell) = await model(profile)
    model.select("region")
    model.reset()
    model.reset()
    await shell.finish()
    #expect(await profile.calls == ["region="])
  }

  @Test func `country and then city come from the module that answers to their names`() async throws
  {
    var asked: [[String: String]] = []
    mediator.publish(
      Mediator.Inquiry("places/country", optional: ["selected"]) { parameters, answer in
        asked.append(parameters)
        answer("Atlantis")
      })
    mediator.publish(
      Mediator.Inquiry("places/city", optional: ["country", "selected"]) { parameters, answer in
        asked.append(parameters)
        answer("Poseidonis")
      })
    let profile = FakeProfile()
    let (model, shell) = await model(profile)
    model.select("country")
    model.open()
    await shell.finish()
    model.select("city")
    model.open()
    await shell.finish()
    #expect(asked == [[:], ["country": "Atlantis"]])
    #expect(await profile.calls == ["country=Atlantis", "city=Poseidonis"])
    #expect(shown.forms.isEmpty && shown.questions.isEmpty)
    // Other rows instead of them: the page does not notice.
    mediator.publish(
      Mediator.Inquiry("places/country", optional: ["selected"]) { parameters, answer in
        asked.append(parameters)
        answer("Mu")
      })
    model.select("country")
    model.open()
    await shell.finish()
    #expect(asked.last == ["selected": "Atlantis"])
    #expect(row("country", model)?.value == "Mu")
    // The city was of the other country: it goes when that is wanted.
    #expect(shown.questions.map(\.arguments) == [["city": "Poseidonis", "country": "Mu"]])
    shown.questions.last?.onAccept()
    await shell.finish()
    #expect(await profile.calls.last == "city=")
  }

  @Test func `where there is no list, the country is typed`() async {
    let profile = FakeProfile()
    let (model, shell) = await model(profile)
    model.select("country")
    model.open()
    type("France")
    await shell.finish()
    #expect(await profile.calls == ["country=France"])
  }

  @Test func `who may read it is chosen, and a refusal leaves it`() async {
    let profile = FakeProfile()
    let (model, shell) = await model(profile)
    model.select("visibility")
    model.open()
    #expect(shown.choices.last?.labels == ["everybody", "my contacts", "only me"])
    #expect(shown.choices.last?.selected == 1)
    shown.choices.last?.onEnd(2)
    await shell.finish()
    #expect(row("visibility", model)?.value == "only me")
    await profile.refuse(NatterError(.refused, "error.noAnswer"))
    model.open()
    shown.choices.last?.onEnd(0)
    await shell.finish()
    #expect(row("visibility", model)?.value == "only me")
    #expect(row("visibility", model)?.isWrong == true)
    shown.choices.last?.onEnd(nil)
    await shell.finish()
    #expect(await profile.calls == ["visibility=nobody", "visibility=everybody"])
  }

  @Test func `a picture comes from a file, and a refusal leaves the one before`() async {
    let profile = FakeProfile()
    let (model, shell) = await model(profile)
    model.moveSelection(.max)
    model.open()
    func path(_ text: String) {
      shown.forms.last?.edit(text, cursor: text.count)
      shown.forms.last?.press("submit")
    }
    path("/nowhere.png")
    #expect(shown.forms.last?["path"]?.error?.contains("/nowhere.png") == true)
    path("/me.png")
    await shell.finish()
    #expect(row("picture", model)?.value == "PNG, 4.2 kB")
    await profile.refuse(NatterError(.refused, "error.noAnswer"))
    model.reset()
    #expect(row("picture", model)?.value == "none")
    await shell.finish()
    #expect(row("picture", model)?.value == "PNG, 4.2 kB")
    #expect(row("picture", model)?.isWrong == true)
    #expect(await profile.calls == ["picture=abc", "picture=-"])
  }

  @Test func `what is typed is stored while the server does not answer about the profile`()
    async throws
  {
    let profile = FakeProfile()
    let (silence, answer) = AsyncStream<Never>.makeStream()
    await profile.answer(after: silence)
    let (model, shell) = await model(profile)
    for (field, text) in [("note", "tea"), ("email", "a@b.org")] {
      model.select(field)
      model.open()
      type(text)
    }
    shell.remember("31", as: PreferenceKey.sidebarWidth)
    try await until("it waits for the server") {
      guard await profile.calls.count == 2 else { return false }
      return try await shell.ports.preferences?.values()[PreferenceKey.sidebarWidth] == "31"
    }
    #expect(Set(await profile.calls) == ["note=tea", "email=a@b.org"])
    #expect(row("note", model)?.note == "saving ..." && row("email", model)?.note == "saving ...")
    answer.finish()
    await shell.finish()
    #expect(row("note", model)?.note == "" && row("email", model)?.value == "a@b.org")
  }

  @Test func `every row has its texts`() async throws {
    let texts = try englishTexts()
    for field in PersonCard.Field.allCases {
      for end in ["", "-help", "-hint"] {
        #expect(texts["profile.field.\(field.rawValue)\(end)"] != nil, "\(field)\(end)")
      }
    }
    let (model, _) = await model(FakeProfile())
    #expect(model.items.count == PersonCard.Field.allCases.count + 2)
  }
}
