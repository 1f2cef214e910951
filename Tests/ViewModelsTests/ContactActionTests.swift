import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The actions on a contact's card, and the block list.
@Suite struct ContactActionTests {
  final class Shown {
    var choices: [ChoiceRequest] = []
    var forms: [FormViewModel] = []
    var questions: [ConfirmRequest] = []
    var requests: [String] = []
  }
  let shown = Shown()
  let ports = FakePorts(
    contacts: [
      Contact(jid: .bob, name: "Bob", subscription: .both, groups: ["Work"]),
      Contact(jid: .chloe, name: "Chloe", subscription: .from),
    ],
    presence: [ContactPresence(jid: .chloe, availability: .online)], now: .minutes(3))

  func shell(
    _ change: (Shown, inout ShellActions) -> Void = { _, _ in }
  ) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    let shown = shown
    actions.choose = { shown.choices.append($0) }
    actions.confirm = { shown.questions.append($0) }
    actions.showForm = {
      shown.forms.append($0)
      return {}
    }
    change(shown, &actions)
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    return shell
  }

  func choose(_ key: String) {
    guard let list = shown.choices.last, let index = list.labels.firstIndex(of: english()(key))
    else {
      Issue.record("no \(key) in \(shown.choices.last?.labels ?? [])")
      return
    }
    list.onEnd(index)
  }

  private func fill(_ values: [String: String]) {
    guard let form = shown.forms.last else { return }
    for (id, text) in values {
      form.focus(on: id)
      form.edit(text, cursor: text.count)
    }
    form.press("submit")
  }

  @Test func `groups are typed with commas, each once`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    contacts.select(.contact(.bob, group: "Work"))
    contacts.chooseAction()
    choose("contact.regroup")
    #expect(shown.forms.last?.text(of: "groups") == "Work")
    fill(["groups": " Friends, Work ,, Friends"])
    await shell.finish()
    #expect(await ports.calls.contains("regroup bob@example.net Friends+Work"))
  }

  @Test func `who does not let one see is asked again`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    contacts.select(.contact(.chloe, group: ""))
    shell.handle(.presenceChanged([ContactPresence(jid: .chloe, availability: .offline)]))
    // A slash opens the filter here: the card has the action.
    #expect(contacts.details.contains { $0.text.hasSuffix("doesn't share their presence") })
    contacts.chooseAction()
    choose("contact.ask")
    await shell.finish()
    #expect(await ports.calls.contains("ask chloe@example.net"))
    contacts.select(.contact(.bob, group: "Work"))
    contacts.chooseAction()
    #expect(shown.choices.last?.labels.contains(english()("contact.ask")) == false)
  }

  @Test func `a request is answered from its card`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    shell.handle(.subscriptionRequested(.zhang))
    contacts.select(.request(.zhang))
    contacts.chooseAction()
    choose("contact.deny")
    await shell.finish()
    #expect(await ports.calls.contains("deny zhang@example.net"))
  }

  @Test func `a contact is blocked after a question, and unblocked`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    contacts.select(.contact(.bob, group: "Work"))
    contacts.chooseAction()
    choose("contact.block")
    #expect(await !ports.calls.contains { $0.hasPrefix("block") })
    shown.questions.last?.onAccept()
    await shell.finish()
    #expect(await ports.calls.contains("block bob@example.net -"))
    contacts.look()
    await shell.finish()
    contacts.chooseAction()
    choose("contact.unblock")
    await shell.finish()
    #expect(await ports.calls.contains("unblock bob@example.net"))
  }

  @Test
  func `the card that asked gets what the contact sends later, and no other asks`()
    async
  {
    func newcomer() async {
      var client = ContactClient(presence: ResourcePresence(resource: "x1"))
      client.needsAsking = true
      var details = ContactDetails()
      details.clients = [client]
      await ports.describe(.bob, as: details)
    }
    let shell = await shell()
    shell.handle(.connectionChanged(.online))
    let card = ContactCardViewModel(shell: shell)
    shell.follow { card.handle($0) }
    let looks = { [ports] in await ports.calls.count { $0.hasPrefix("look") } }
    card.show(.bob)
    await newcomer()
    shell.handle(.presenceChanged([ContactPresence(jid: .bob, availability: .online)]))
    await shell.finish()
    #expect(await looks() == 0)
    await ports.describe(.bob, as: ContactDetails())
    card.look()
    await shell.finish()
    #expect(await looks() == 1)
    await newcomer()
    shell.handle(.presenceChanged([ContactPresence(jid: .bob, availability: .online)]))
    await shell.finish()
    #expect(await looks() == 2)
  }

  @Test func `a report has its reason and text`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    contacts.select(.contact(.bob, group: "Work"))
    contacts.chooseAction()
    choose("contact.report")
    shown.forms.last?.focus(on: "reason")
    shown.forms.last?.choose(by: 1)
    fill(["words": "rude"])
    await shell.finish()
    #expect(await ports.calls.contains("block bob@example.net abuse rude"))
  }

  @Test func `slash block and unblock take the peer of the conversation`() async throws {
    let shell = await shell()
    try Command.block.execute(CommandCall(rest: "bob@example.net"), shell)
    shown.questions.last?.onAccept()
    try Command.unblock.execute(CommandCall(rest: "chloe"), shell)
    await shell.finish()
    #expect(
      await ports.calls.suffix(2) == ["block bob@example.net -", "unblock chloe@example.net"])
  }

  @Test func `ignoring is blocking, and a nick is an occupant of the room that is open`() async {
    let shell = await shell()
    let room = JID(local: "club", domain: "rooms.example.net")
    shell.handle(.conversationsChanged([Conversation(jid: room, kind: .room, name: "Club")]))
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice")]))
    shell.handle(
      .occupantsChanged(
        OccupantChanges(
          room: room,
          changed: [Occupant(nick: "mallory", affiliation: .member, availability: .away)])))
    shell.open(room)
    await shell.finish()
    shell.type("/ignore mallory")
    shell.submit()
    #expect(shown.questions.last?.textKey == "contact.blockAskOccupant")
    shown.questions.last?.onAccept()
    await shell.finish()
    #expect(await ports.calls.contains("block club@rooms.example.net/mallory -"))
    // Who is blocked is not seen in the room any more.
    shell.handle(.occupantsChanged(OccupantChanges(room: room, removed: ["mallory"])))
    shell.type("/unignore mallory")
    shell.submit()
    await shell.finish()
    #expect(await ports.calls.contains("unblock club@rooms.example.net/mallory"))
    shell.type("/ignore")
    shell.submit()
    #expect(shown.questions.last?.textKey == "contact.blockAskRoom")
    shell.type("/ignore bob")
    shell.submit()
    #expect(shown.questions.last?.textKey == "contact.blockAsk")
    #expect(shown.questions.last?.arguments["address"] == "bob@example.net")
  }

  @Test func `whois shows the contact's page, or asks the room`() async {
    let shell = await shell { shown, actions in
      actions.request = { shown.requests.append("\($0) \($1["item"] ?? $1["jid"] ?? "")") }
    }
    shell.type("/whois bob")
    shell.submit()
    #expect(shown.requests == ["contacts/show bob@example.net"])
    let contacts = ContactsViewModel(shell: shell)
    contacts.beginFilter()
    contacts.typeFilter("chloe")
    contacts.show("bob@example.net")
    #expect(contacts.selected == .bob)
    let room = JID(local: "club", domain: "rooms.example.net")
    shell.handle(.conversationsChanged([Conversation(jid: room, kind: .room, name: "Club")]))
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice")]))
    shell.handle(
      .occupantsChanged(
        OccupantChanges(
          room: room,
          changed: [
            Occupant(
              nick: "the mole", affiliation: .member, availability: .away, status: "tea",
              jid: .zhang)
          ])))
    shell.open(room)
    await shell.finish()
    shell.type("/whois the mole")
    shell.submit()
    #expect(shell.status.message.text == "the mole: zhang@example.net, a member, away, \"tea\"")
    shell.type("/whois")
    shell.submit()
    #expect(shown.requests.last == "discover/room club@rooms.example.net")
  }

  @Test func `a new contact gets a name, a group and a word with the request`() async {
    let shell = await shell()
    shell.askForContact()
    fill([
      "address": "dave@example.com", "name": "Dave", "group": "Work", "message": "It is me, Alice",
    ])
    await shell.finish()
    #expect(
      await ports.calls.suffix(2) == [
        "add dave@example.com It is me, Alice", "regroup dave@example.com Work",
      ])
  }

  @Test(arguments: [
    ("Natter~5ce99b5b95c5", "Natter"), ("gajim.IXBS7DPL", "gajim"), ("phone", "phone"),
    ("Conversations.QrTw", "Conversations"), ("Psi+", "Psi+"), ("poezio", "poezio"),
    ("MacBookPro", "MacBookPro"), ("Ch8SEDjcfyAv", nil), ("qWeRtYuiopas", nil),
    ("5f3a9c12b7", nil), ("550e8400-e29b-41d4-a716-446655440000", nil), ("", nil),
  ])
  func `a client is named without what distinguishes it from others of its kind`(
    resource: String, name: String?
  ) {
    #expect(ContactCardViewModel.program(in: resource) == name)
  }

  @Test func `away and back set the presence, as every IRC user types them`() async {
    let shell = await shell()
    for line in ["/away at lunch", "/back"] {
      shell.type(line)
      shell.submit()
      await shell.finish()
    }
    #expect(await ports.calls.suffix(2) == ["presence away at lunch", "presence online -"])
  }

  @Test func `who is not blocked is not let in, as far as that is known`() async throws {
    let shell = await shell()
    await ports.confirmRoster(at: .afternoon)
    shell.type("/unblock chloe")
    shell.submit()
    await shell.finish()
    #expect(await !ports.calls.contains { $0.hasPrefix("unblock") })
    #expect(shell.status.message.text == "chloe@example.net is not blocked.")
    #expect(shell.input.text == "/unblock chloe")
  }

  @Test func `contacts are sorted by name, and by presence again`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    shell.handle(.contactsChanged([Contact(jid: .bob, name: "Bob", subscription: .both)]))
    func names() -> [String] { contacts.items.filter { $0.jid != nil }.map(\.name) }
    #expect(names() == ["Chloe", "Bob"])
    contacts.changeOrder()
    #expect(names() == ["Bob", "Chloe"])
    contacts.changeOrder()
    #expect(names() == ["Chloe", "Bob"])
  }

  // MARK: The list of who is blocked

  @Test func `the blocked are listed, let in with del, and added with a`() async {
    let shell = await shell()
    _ = try? await ports.block(.chloe, report: nil)
    let list = BlockListViewModel(shell: shell, blocking: ports)
    await shell.finish()
    #expect(list.items.map(\.title) == ["chloe@example.net"])
    #expect(list.items.map(\.value) == ["Chloe"])
    #expect(list.add())
    fill(["address": "nonsense"])
    #expect(shown.forms.last?["address"]?.error != nil)
    fill(["address": "spam@example.net"])
    await shell.finish()
    shell.handle(.blockListChanged)
    await shell.finish()
    #expect(list.items.map(\.title) == ["chloe@example.net", "spam@example.net"])
    list.reset()
    await shell.finish()
    shell.handle(.blockListChanged)
    await shell.finish()
    #expect(list.items.map(\.title) == ["spam@example.net"])
    list.reset()
    await shell.finish()
    shell.handle(.blockListChanged)
    await shell.finish()
    #expect(list.items.isEmpty && list.help.first == "No blocked addresses.")
    list.moveSelection(1)
    list.reset()
  }
}
