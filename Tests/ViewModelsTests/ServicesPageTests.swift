import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct ServicesPageTests {
  private final class Screen {
    var form: FormViewModel?
    var requests: [String] = []
    var choices: [[String]] = []
  }

  private func shell(_ screen: Screen, isOnline: Bool = true) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.showForm = { form in
      screen.form = form
      return { screen.form = nil }
    }
    actions.request = { screen.requests.append("\($0) \($1["text"] ?? "")") }
    actions.choose = {
      screen.choices.append($0.labels)
      $0.onEnd(1)
    }
    let shell = ShellViewModel(
      FakePorts(connection: isOnline ? .online : .offline, now: .afternoon), actions: actions)
    await shell.load()
    return shell
  }

  @Test func `components are described in a text, and one opens what else it has`() async {
    let screen = Screen()
    let guide = FakeComponentDirectory(.wireframe(readAt: .minutes(-5)))
    let shell = await shell(screen)
    let page = ServicesPage(shell: shell, finder: guide)
    page.appeared()
    await shell.finish()
    #expect(await guide.calls == [])
    #expect(page.card(0).note == "server" && page.card(0).text == "copies to all devices, pings")
    #expect(page.card(1).note == "rooms" && page.card(2).text == "does not answer")
    #expect(page.headline == "example.org, as of 13:55")
    page.perform(.open)
    #expect(screen.form?.fields.contains { $0.label == "  urn:xmpp:strange:0" } == true)
    screen.form?.onPress("close")
    page.rows.moveSelection(1)
    page.perform(.open)
    screen.form?.onPress("rooms")
    #expect(screen.requests == ["discover/search @rooms.example.org"] && screen.form == nil)
    page.rows.setFilter("copies")
    #expect(page.rows.shown == [0])
  }

  @Test func `what was never asked is asked, once there is a connection to ask over`() async {
    let guide = FakeComponentDirectory()
    let online = await shell(Screen())
    ServicesPage(shell: online, finder: guide).appeared()
    let page = ServicesPage(shell: online, finder: guide)
    page.appeared()
    await online.finish()
    #expect(await guide.calls.contains("refresh"))
    let offline = await shell(Screen(), isOnline: false)
    let other = ServicesPage(shell: offline, finder: FakeComponentDirectory())
    other.appeared()
    await offline.finish()
    #expect(other.emptyText.contains("when there is a connection"))
  }

  @Test func `the own address is shared, and an invitation made, shown and forgotten`() async {
    let screen = Screen()
    let guide = FakeComponentDirectory(kinds: [.contact, .account])
    let shell = await shell(screen)
    let page = InvitationsPage(shell: shell, maker: guide)
    page.appeared()
    await shell.finish()
    #expect(page.rows.count == 1 && page.card(0).text == "xmpp:alice@example.org?roster")
    page.perform(.open)
    #expect(screen.form?["address"]?.label == "xmpp:alice@example.org?roster")
    page.perform(.remove)
    page.perform(.add)
    await shell.finish()
    #expect(screen.choices == [["Invite a contact", "Invite to create an account"]])
    #expect(await guide.calls == ["make account"])
    #expect(screen.form?["address"]?.label == "xmpp:alice@example.org?roster;preauth=0")
    #expect(page.rows.count == 2 && page.card(1).note == "2026-11-21")
    page.rows.moveSelection(.max)
    #expect(page.summary.last == "Valid until Saturday 21 November 14:00.")
    page.perform(.remove)
    shell.handle(.serverPartsChanged)
    await shell.finish()
    #expect(await guide.calls.last == "forget account")
    #expect(page.rows.count == 1)
  }

  @Test func `a server that creates no invitations says so`() async {
    let screen = Screen()
    let shell = await shell(screen)
    let page = InvitationsPage(shell: shell, maker: FakeComponentDirectory())
    page.appeared()
    page.perform(.add)
    await shell.finish()
    #expect(shell.status.message.text.contains("creates no invitations"))
  }
}
