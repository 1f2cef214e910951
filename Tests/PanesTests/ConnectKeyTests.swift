import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

/// The key that ends a wait for the connection (flows.md, "Long connection").
@Suite struct ConnectKeyTests {
  private let waiting = DomainEvent.connectionChanged(
    .waiting(until: .minutes(1), reason: ConnectionProblem(.refused)))

  private func tries(_ harness: ShellHarness) async -> Int {
    await harness.shell.finish()
    return await harness.ports.calls.count { $0 == "connect" }
  }

  @Test func `one key connects now, from every tab, and so do its name, the palette and a command`()
    async
  {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory()])
    harness.handle(waiting)
    harness.press(.alt("k"))
    harness.press(Key(.function(3)))
    harness.press(.control("x"), .character("k"))
    harness.press(Key(.function(2)))
    #expect(harness.coordinator.perform(named: "connectNow"))
    harness.type("/connect")
    harness.press(.enter)
    harness.press(.control("o"))
    harness.type("connect now")
    harness.press(.enter)
    #expect(await tries(harness) == 5)
  }

  @Test func `the status line names the key while it waits, and the command where there is none`()
    async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.handle(waiting)
    #expect(harness.shell.status.message.text.hasSuffix("; Alt+K tries now."))
    for (file, words) in [
      ("\"Alt+K\" = \"\"", "; /connect tries now."),
      ("\"Alt+K\" = \"\"\n\"Alt+Y\" = \"connectNow\"", "; Alt+Y tries now."),
    ] {
      harness.coordinator.use(
        KeyBindingTable.natter.applying("[everywhere]\n\(file)\n", file: "keys.toml").table)
      #expect(harness.shell.status.message.text.hasSuffix(words))
    }
  }

  @Test func `every text of the status line about a connection names the key, in every tab`() async
  {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory()])
    harness.press(Key(.function(3)))
    let status = harness.shell.status
    harness.handle(.connectionChanged(.offline))
    #expect(status.message.text == "Offline. Alt+K connects.")
    harness.shell.showConnection()
    #expect(status.message.text == "Offline. Alt+K connects.")
    harness.shell.show(NatterError(.offline, "error.offline").notice)
    #expect(status.message.text == "This needs a connection. Alt+K tries now.")
    harness.handle(.connectionChanged(.refused(ConnectionProblem(.conflict, host: "h"))))
    #expect(status.message.text.hasSuffix(". Alt+K tries again."))
    harness.shell.showConnection()
    #expect(status.message.text.hasSuffix(". Alt+K tries again."))
  }
}
