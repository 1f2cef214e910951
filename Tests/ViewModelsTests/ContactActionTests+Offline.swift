import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Changes of contacts without a connection, which are pending.
extension ContactActionTests {
  private func change(_ jid: JID, _ operation: ContactChange.Operation, refusal: String? = nil)
    -> ContactChange
  {
    ContactChange(
      id: 1, jid: jid, operation: operation,
      refusal: refusal.map {
        StatusNotice(.error, "stanza.not-allowed", ["text": $0, "speaker": "example.org"])
      })
  }

  @Test func `what waits is said where the contact is, and can be taken back`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    var bob = Contact(jid: .bob, name: "Robert", subscription: .both, groups: ["Work"])
    bob.changes = [change(.bob, .rename("Robert"))]
    shell.handle(.contactsChanged([bob]))
    contacts.select(.contact(.bob, group: "Work"))
    #expect(contacts.items.first { $0.jid == .bob }?.detail == "change pending")
    #expect(contacts.details.contains(DetailItem("Pending", "will be renamed Robert")))
    contacts.chooseAction()
    #expect(shown.choices.last?.labels.contains(english()("contact.retry")) == false)
    choose("contact.takeBack")
    await shell.finish()
    #expect(await ports.calls.contains("discard bob@example.net"))
  }

  @Test func `a refused change is shown with its reason and source, and can be retried`() async {
    let shell = await shell()
    let contacts = ContactsViewModel(shell: shell)
    var zhang = Contact(jid: .zhang)
    zhang.changes = [change(.zhang, .add(name: nil, invitation: nil), refusal: "no\nmore")]
    shell.handle(.contactsChanged([zhang]))
    contacts.select(.contact(.zhang, group: ""))
    #expect(contacts.items.first { $0.jid == .zhang }?.detail == "change refused")
    let said = #"The server does not allow that. example.org says: "no more""#
    #expect(contacts.details.contains(DetailItem("Refused", "will be added (\(said))")))
    contacts.chooseAction()
    choose("contact.retry")
    await shell.finish()
    #expect(await ports.calls.contains("again zhang@example.net"))
  }

  @Test func `the lists say how old they are, and only while there is no connection`() async {
    await ports.confirmRoster(at: .minutes(-60))
    let shell = await shell()
    shell.handle(.connectionChanged(.offline))
    let contacts = ContactsViewModel(shell: shell)
    let list = BlockListViewModel(shell: shell, blocking: ports)
    await shell.finish()
    #expect(contacts.age?.contains("13:00") == true, "\(contacts.age ?? "")")
    #expect(list.help.first == contacts.age)
    shell.handle(.connectionChanged(.online))
    #expect(contacts.age == nil)
    #expect(list.help.first == "No blocked addresses.")
    // The details that arrived by themselves until a moment ago are as old as that moment.
    shell.handle(.connectionChanged(.offline))
    #expect(contacts.age?.contains("As of") == true && contacts.age?.contains("13:00") == false)
  }

  @Test func `a contact blocked offline is listed as waiting, a refusal with its source`()
    async
  {
    let shell = await shell()
    await ports.keepBlockChanges([
      change(.bob, .block(nil)), change(.chloe, .unblock),
      change(.zhang, .block(nil), refusal: "not here"),
    ])
    let list = BlockListViewModel(shell: shell, blocking: ports)
    await shell.finish()
    #expect(
      list.items.map(\.note) == [
        "waits for the connection", "unblocked with the next connection",
        #"refused: The server does not allow that. example.org says: "not here""#,
      ])
    #expect(list.items.map(\.isWrong) == [false, false, true])
    list.reset()
    await shell.finish()
    list.select("zhang@example.net")
    list.reset()
    await shell.finish()
    #expect(
      await ports.calls.suffix(2) == [
        "unblock bob@example.net", "discardBlocking zhang@example.net",
      ]
    )
  }
}
