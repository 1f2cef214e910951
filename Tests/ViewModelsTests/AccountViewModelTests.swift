import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct AccountViewModelTests {
  private final class Shown {
    var done: [String] = []
  }
  private let shown = Shown()
  private let ports = FakePorts(now: .minutes(3))

  private func model(
    _ support: @escaping () async throws -> [String] = { [] },
    room: @escaping () async throws -> AccountViewModel.FileRoom = { .unreported }
  ) async -> (AccountViewModel, ShellViewModel) {
    var actions = ShellActions.forTests()
    let shown = shown
    actions.confirm = { shown.done.append($0.titleKey) }
    actions.changePassword = { shown.done.append("password") }
    actions.signOut = { shown.done.append("signOut") }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    let model = AccountViewModel(shell: shell, support: support, room: room)
    await shell.finish()
    return (model, shell)
  }

  private func value(_ id: String, _ model: AccountViewModel) -> String? {
    model.items.first { $0.id == id }?.value
  }

  @Test func `with several accounts its page says whose it is`() async {
    let (model, shell) = await model()
    #expect(!model.title.contains("alice"))
    shell.show([AccountState(.chloe), AccountState(.alice)])
    #expect(model.title.hasSuffix("alice@example.org"))
  }

  @Test func `programs and help are asked for once the user looks`() async {
    var details = ContactDetails()
    var phone = ContactClient(presence: ResourcePresence(resource: "phone"))
    phone.name = "Chatty"
    details.clients = [phone, ContactClient(presence: ResourcePresence(resource: "x"))]
    await ports.describe(.alice, as: details)
    let (model, shell) = await model { ["mailto:help@example.org"] }
    #expect(value("support", model) == "not loaded yet")
    model.isFocused = true
    await shell.finish()
    #expect(value("support", model) == "mailto:help@example.org")
    #expect(value("devices", model) == "Chatty (phone), x")
    #expect(await ports.calls.contains("look alice@example.org"))
    model.select("devices")
    #expect(model.help.last == "Chatty (phone), x")
  }

  @Test func `of several programs it is shown which one is this`() async {
    var details = ContactDetails()
    var own = ContactClient(presence: ResourcePresence(resource: "x1"))
    (own.name, own.isThisProgram) = ("Natter", true)
    details.clients = [ContactClient(presence: ResourcePresence(resource: "phone")), own]
    await ports.describe(.alice, as: details)
    let (model, _) = await model()
    #expect(value("devices", model) == "phone, this program: Natter (x1)")
  }

  @Test(arguments: [
    (AccountViewModel.FileRoom.none, "none; your server accepts no files"),
    (.unreported, "none; your server reports no limit"),
    (.each(10_000_000), "none; limit 10 MB per file"),
  ])
  func `how large a file may be is shown as far as the server reports it`(
    room: AccountViewModel.FileRoom, text: String
  ) async {
    let (model, shell) = await model(room: { room })
    #expect(value("files", model) == "none")
    model.isFocused = true
    await shell.finish()
    #expect(value("files", model) == text)
  }

  @Test func `what was uploaded is counted by the messages that offer it`() async throws {
    let files = FakeFiles([
      try #require(file(1, "a.png", from: .alice, size: 1_000_000)),
      try #require(file(2, "b.png", from: .alice, size: 2_000_000)),
      try #require(file(3, "his.png", size: 9_000_000)),
    ])
    let shell = ShellViewModel(ports, files: .on(files))
    await shell.load()
    let model = AccountViewModel(shell: shell, support: { [] })
    await shell.finish()
    #expect(value("files", model) == "2 files, 3.0 MB")
    await files.add(try #require(file(4, "c.png", from: .alice, size: 1_000_000)))
    shell.handle(
      .transfersChanged([
        FileTransfer(
          id: .init(1), direction: .upload, conversation: .bob, path: "/tmp/c.png", name: "c.png",
          state: .done, begun: .afternoon)
      ]))
    await shell.finish()
    #expect(value("files", model) == "3 files, 4.0 MB")
  }

  @Test func `the ways out are those that commands have`() async {
    let (model, _) = await model()
    for row in ["password", "signOut", "delete"] {
      model.select(row)
      model.open()
    }
    #expect(shown.done == ["password", "signOut", "account.deleteTitle"])
  }
}
