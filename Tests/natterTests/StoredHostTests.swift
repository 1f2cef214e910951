import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import natter

/// What clients of the bridge can do to the list, the desktop and the settings without a full
/// screen.
@MainActor @Suite struct StoredHostTests {
  private let account = JID(local: "me", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let tea = JID(local: "tea", domain: "rooms.example.org")
  private let home: Home
  private let ports = FakePorts()

  init() throws { home = try Home() }

  private func host(_ configuration: String = "") throws -> StoredHost {
    try home.folder.write(configuration, to: "config/natter/config.toml")
    return StoredHost(try SendCommandTests.context(["serve"], home: home), ports)
  }

  private func arrangement() async throws -> SidebarArrangement {
    SidebarArrangement(text: try await ports.values()[PreferenceKey.order] ?? "")
  }

  @Test func `pins go into the arrangement that the full screen reads`() async throws {
    try await ports.setValue("by-name\n1 - \(tea)", for: PreferenceKey.order)
    let host = try host()
    #expect(try await host.setPinned(true, bob, of: account))
    #expect(try await host.setPinned(true, tea, of: account))
    var kept = try await arrangement()
    #expect(kept.pinned == [bob, tea])
    #expect(kept.numbers == [tea: 1, bob: 2] && !kept.isOwn)
    #expect(try await host.setPinned(false, tea, of: account))
    kept = try await arrangement()
    #expect(kept.pinned == [bob] && kept.numbers == [tea: 1, bob: 2])
  }

  @Test func `pins that come at the same time are all kept`() async throws {
    let (host, account) = (try host(), account)
    let names = (0..<20).map { JID(local: "c\($0)", domain: "example.org") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask { _ = try await host.setPinned(true, name, of: account) }
      }
      try await group.waitForAll()
    }
    #expect(try await arrangement().pinned == Set(names))
  }

  @Test func `a notification goes to the user's command, unless its conversation is muted`()
    async throws
  {
    let output = home.folder.path("shown")
    let host = try host(
      "[notify]\ncommand = [\"sh\", \"-c\", 'printf \"%s|%s\" \"$1\" \"$2\" > \(output)', \"sh\"]\n"
    )
    let context = try SendCommandTests.context(["serve"], home: home)
    #expect(NotificationRules(context).set(.none, of: bob, for: account))
    let muted = BridgeNotification(title: "a", text: "b", conversation: bob)
    #expect(await !host.notify(muted, of: account))
    let shown = BridgeNotification(title: "Build\u{1B}[2J", text: "-done\n1", conversation: nil)
    #expect(await host.notify(shown, of: account))
    #expect(
      try await polls { (try? String(contentsOfFile: output, encoding: .utf8))?.isEmpty == false })
    let text = try String(contentsOfFile: output, encoding: .utf8)
    #expect(text.hasPrefix("Build") && text.hasSuffix("|New message"), "\(text)")
    #expect(!text.contains("\u{1B}") && !text.contains("\n"))
  }

  @Test func `without a desktop, or where notifications are off, nothing is shown`() async throws {
    let notification = BridgeNotification(title: "a", text: "b", conversation: nil)
    #expect(try await !host().notify(notification, of: account))
    #expect(
      try await !host("[notify]\ndesktop = \"off\"\n").notify(notification, of: account))
    #expect(
      try await !host("[notify]\ndesktop = \"osc9\"\n").notify(notification, of: account))
  }

  @Test func `settings have their values, and commands are withheld`() async throws {
    let host = try host(
      """
      [account]
      password_command = ["pass", "show", "canary"]
      port = 5222
      [ui]
      mouse = false

      """)
    let settings = await host.settings()
    func setting(_ section: String, _ key: String) -> BridgeSetting? {
      settings.first { $0.section == section && $0.key == key }
    }
    #expect(setting("ui", "mouse")?.value == .boolean(false))
    #expect(setting("ui", "keys")?.value == .text("natter"))
    #expect(setting("account", "port")?.value == .integer(5222))
    #expect(setting("account", "server")?.value == nil)
    #expect(setting("account", "server")?.isHidden == false)
    #expect(setting("account", "password_command")?.isHidden == true)
    #expect(!"\(settings)".contains("canary"))
  }
}
