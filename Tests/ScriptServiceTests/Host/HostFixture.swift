import Diagnostics
import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// A host with a clock that a test moves, an account in memory and, unless a test says otherwise, a
/// program in memory.
final class HostFixture: Sendable {
  let clock = ManualClock()
  let folder: TemporaryFolder
  let account: TestAccount
  let rights = TestRights()
  let starter = TestStarter()
  let events = Observed<[ScriptHostEvent]>([])
  let host: ScriptHost
  let script: HostedScript

  init(
    run: [String] = ["./bot"], starter other: (any ScriptStarting)? = nil,
    _ change: (inout ScriptManifest) -> Void = { _ in }
  ) throws {
    folder = try TemporaryFolder("script")
    var manifest = ScriptManifest(title: "Bot", version: "1.0", run: run)
    manifest.start = .manual
    manifest.permissions = [BridgePermission.readMessages, .sendMessages, .changeContacts].map {
      ScriptManifest.Permission(.bridge($0), why: "to test")
    }
    manifest.statusItems = ["count"]
    manifest.panes = ["list"]
    manifest.settings = [
      ScriptManifest.Setting(name: "city", help: "", standard: "Paris"),
      ScriptManifest.Setting(name: "units", help: "", standard: "metric"),
    ]
    change(&manifest)
    script = HostedScript(
      name: "bot", folder: folder.root.path, storage: folder.path("bot/storage"),
      logFile: folder.path("state/bot.log"), manifest: manifest, settings: ["city": "Lyon"])
    account = TestAccount(clock)
    host = Self.host(script, account, rights, other ?? starter, events, clock)
  }

  private static func host(
    _ script: HostedScript, _ account: TestAccount, _ rights: TestRights,
    _ starter: any ScriptStarting, _ events: Observed<[ScriptHostEvent]>, _ clock: ManualClock
  ) -> ScriptHost {
    ScriptHost(
      script,
      ScriptHostServices(
        starter: starter, bridging: account, rights: rights.rights,
        about: {
          ScriptEnvironment(version: "0.9", locale: "fr", themeName: "night", isDark: true)
        },
        report: { event in events.update { $0.append(event) } },
        clock: BridgeClock(
          now: { clock.date }, steady: { clock.now.offset },
          sleep: { try await clock.sleep(for: $0) }),
        log: .none))
  }

  /// Returns a host of the same script, as after a restart of the program.
  func another() -> ScriptHost {
    Self.host(script, account, rights, starter, events, clock)
  }

  /// Starts the script, and has it say hello.
  /// - Parameter number: how often it was started then.
  func start(_ number: Int = 1, _ host: ScriptHost? = nil) async throws -> TestScript {
    let host = host ?? self.host
    async let started: Void = host.start()
    let script = try await starter.script(number)
    try await script.greet()
    try await started
    return script
  }

  /// The states that were reported, in order.
  var states: [ScriptState] {
    events.value.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }

  /// The items of the status line that were reported, in order.
  var statusItems: [ScriptStatusItem] {
    events.value.compactMap { event in
      guard case .status(let id, let text, let role, let until) = event else { return nil }
      return ScriptStatusItem(script: "bot", id: id, text: text, role: role, until: until)
    }
  }

  /// Waits until a state was reported last.
  func reaches(_ condition: @escaping @Sendable (ScriptState) -> Bool) async -> Bool {
    await events.waits { events in
      let last = events.last { if case .state = $0 { true } else { false } }
      if case .state(let state)? = last { return condition(state) }
      return false
    }
  }

  /// Waits until the script has failed.
  /// - Returns: the key of the notice.
  func failure() async throws -> StatusNotice {
    #expect(await reaches { if case .failed = $0 { true } else { false } }, "\(states)")
    guard case .failed(let notice)? = states.last else { throw NatterError(.unexpected, "none") }
    return notice
  }

  /// Waits until somebody sleeps for that long.
  /// - Parameter alone: nobody else sleeps.
  func sleeps(_ duration: Duration, alone: Bool = false) async -> Bool {
    let holds = try? await polls(upTo: .seconds(20)) {
      alone ? clock.sleeps == [duration] : clock.sleeps.contains(duration)
    }
    return holds == true
  }

  /// Waits until so many looks at memory and processor time were reported.
  func waitsForLooks(_ count: Int) async -> Bool {
    await events.waits { events in
      events.count { if case .usage = $0 { true } else { false } } >= count
    }
  }
}
