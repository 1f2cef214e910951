import Diagnostics
import Foundation
import JSONLines
import NatterCore
import Synchronization
import TestSupport
import XMPP

@testable import ScriptService

/// The scripts of a profile in a folder of the test's own, with hosts that start nothing.
final class ScriptsFixture: Sendable {
  let root: URL
  let folders: ScriptFolders
  let clock = ManualClock()
  let bridging = StubBridging()
  let events: HostEvents
  let scripts: Scripts

  static let account = JID(local: "me", domain: "x.example")

  init(
    _ found: [FoundScript], in root: URL? = nil, mayAsk: Bool = true, refusal: StatusNotice? = nil,
    problem: StatusNotice? = nil
  ) throws {
    let root =
      root
      ?? FileManager.default.temporaryDirectory.appending(path: "natter-scripts-\(UUID())")
    self.root = root
    folders = Self.folders(in: root)
    for folder in [folders.user, folders.data, folders.state] + found.map(\.folder) {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    let list = SharedList(found)
    let events = HostEvents()
    let clock = clock
    var setup = ScriptsSetup(
      folders, read: { list.found }, starter: { StubStarter() }, bridging: bridging, log: .none)
    setup.mayAsk = mayAsk
    setup.problem = { problem }
    setup.permit = {
      events.add("permit")
      return refusal
    }
    setup.clock = BridgeClock(
      now: { clock.date }, steady: { clock.now.offset },
      sleep: { try await clock.sleep(for: $0) })
    setup.makeHost = { StubHost($0, $1, events) }
    self.events = events
    self.list = list
    scripts = Scripts(setup)
  }

  private let list: SharedList

  /// The scripts that their folders have now.
  func setFound(_ found: [FoundScript]) { list.set(found) }

  /// The folders below a root.
  static func folders(in root: URL) -> ScriptFolders {
    ScriptFolders(
      user: root.path + "/config/scripts", shipped: nil, data: root.path + "/data/scripts",
      state: root.path + "/state/scripts")
  }

  /// What is stored about a script.
  func stored(_ name: String = "greeter") throws -> ScriptGrants.Entry? {
    try GrantFile(folders.grants).read().entries[name]
  }

  /// Changes the grants as another process does.
  func grant(
    _ name: String = "greeter", _ body: @Sendable (inout ScriptGrants.Entry) -> Void
  ) async throws {
    try await GrantFile(folders.grants).change { grants in
      body(&grants.entries[name, default: ScriptGrants.Entry()])
    }
  }

  /// Enables a script with the digest that `script` gives it.
  func enable(_ name: String = "greeter", _ rights: ScriptRight...) async throws {
    try await grant(name) { entry in
      (entry.isEnabled, entry.digest) = (true, "d1")
      for right in rights {
        entry.add(
          ScriptGrants.StoredGrant(
            ScriptGrant(right), given: Date(timeIntervalSince1970: 1_700_000_000)))
      }
    }
  }

  /// A script whose files are good.
  static func script(
    _ name: String = "greeter", in root: URL, digest: String = "d1",
    _ change: (inout ScriptManifest) -> Void = { _ in }
  ) -> FoundScript {
    var manifest = ScriptManifest(title: "Greeter", version: "1", run: ["./greeter"])
    manifest.permissions = [
      .init(.bridge(.readMessages), why: "to greet"), .init(.network, why: "to look"),
    ]
    change(&manifest)
    return FoundScript(
      name: name, folder: folders(in: root).user + "/" + name, isShipped: false,
      reading: .good(manifest, digest: digest))
  }

  static func newRoot() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "natter-scripts-\(UUID())")
  }

  /// The state of a script as the page shows it.
  func state(_ name: String = "greeter") async -> ScriptState? {
    await scripts.scripts()?.first { $0.name == name }?.state
  }

  func remove() { try? FileManager.default.removeItem(at: root) }
}

private final class SharedList: Sendable {
  private let list: Mutex<[FoundScript]>

  init(_ list: [FoundScript]) { self.list = Mutex(list) }

  var found: [FoundScript] { list.withLock(\.self) }
  func set(_ found: [FoundScript]) { list.withLock { $0 = found } }
}

/// What the hosts of a test were asked for.
final class HostEvents: Sendable {
  let log = Observed<[String]>([])
  let hosts = Observed<[StubHost]>([])

  func add(_ text: String) { log.update { $0.append(text) } }

  /// Waits until the log has a line so many times.
  func has(_ text: String, times: Int = 1) async -> Bool {
    await log.waits { $0.count { $0 == text } >= times }
  }
}

/// A host whose program is none.
actor StubHost: ScriptHosting {
  nonisolated let script: HostedScript
  nonisolated let services: ScriptHostServices
  private nonisolated let events: HostEvents

  init(_ script: HostedScript, _ services: ScriptHostServices, _ events: HostEvents) {
    (self.script, self.services, self.events) = (script, services, events)
    events.hosts.update { [self] in $0.append(self) }
  }

  func start() async throws {
    events.add("start \(script.name)")
    await services.report(.state(.running))
  }

  func stop() async {
    events.add("stop \(script.name)")
    await services.report(.state(.sleeping))
  }

  /// Logged as `stop`, which it is for the program.
  func retire() async { await stop() }

  func run(_ call: ScriptCommandCall) async throws -> ScriptCommandResult {
    events.add("run \(call.command)")
    return .note(call.command)
  }

  func ask(_ call: ScriptScreenCall) async throws -> ScriptCommandResult {
    switch call.request {
    case .key(let key, let line, let pane): events.add("key \(key) \(line) \(pane)")
    case .open(let address): events.add("open \(address)")
    }
    return .nothing
  }

  func wake(for event: String, after cursors: [String: Int]) async {
    events.add("wake \(script.name) \(event)")
    if let cursor = cursors[ScriptsFixture.account.description] { events.add("after \(cursor)") }
    await services.report(.state(.running))
  }

  func accountsChanged() async { events.add("accounts \(script.name)") }
  var cursors: [String: Int] { ["me@x.example": 7] }
  func logLines() -> [String] { ["line"] }

  /// Marks the first character of each message.
  func decorate(_ request: DecorationRequest) -> [Message.ID: MessageDecoration]? {
    events.add("decorate \(request.messages.map { String($0.id.rawValue) }.joined(separator: " "))")
    return Dictionary(
      uniqueKeysWithValues: request.messages.map {
        ($0.id, MessageDecoration(spans: [.init(0..<1, .good)], notes: [script.name]))
      })
  }
}

/// Accounts that a test opens.
final class StubBridging: ScriptBridging {
  private let open = Mutex<[JID]>([])
  private let opened = Mutex(0)
  private let online = Mutex(false)
  private let followers = Mutex<[AsyncStream<Void>.Continuation]>([])
  private let listeners = Mutex<[AsyncStream<ScriptWake>.Continuation]>([])
  /// The events that are listened to, and how often the accounts were followed.
  let names = Observed<[Set<String>]>([])
  let follows = Observed(0)

  var accounts: [JID] { get async { open.withLock(\.self) } }
  var openings: Int { get async { opened.withLock(\.self) } }
  var isOnline: Bool { get async { online.withLock(\.self) } }

  func serve(_ connection: any BridgeConnection, for client: BridgeClient) async {}

  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    followers.withLock { $0.append(continuation) }
    follows.update { $0 += 1 }
    return stream
  }

  func events(named names: Set<String>) -> AsyncStream<ScriptWake> {
    let (stream, continuation) = AsyncStream<ScriptWake>.makeStream()
    listeners.withLock { $0.append(continuation) }
    self.names.update { $0.append(names) }
    return stream
  }

  func set(_ accounts: [JID], isOnline: Bool) {
    open.withLock { $0 = accounts }
    online.withLock { $0 = isOnline }
    for follower in followers.withLock(\.self) { follower.yield() }
  }

  /// Closes an account and opens it again, before anything has learned that it was closed.
  func reopen() {
    opened.withLock { $0 += 2 }
    for follower in followers.withLock(\.self) { follower.yield() }
  }

  func happens(_ event: String, message: Int? = nil) {
    let wake = ScriptWake(event, in: ScriptsFixture.account, message: message)
    for listener in listeners.withLock(\.self) { listener.yield(wake) }
  }
}

private struct StubStarter: ScriptStarting {
  var confinement: ScriptConfinement { .closed }

  func start(_ program: ScriptProgram) async throws(ScriptStartError) -> any ScriptProcess {
    throw ScriptStartError(StatusNotice(.error, "none"))
  }
}

extension ScriptsFixture {
  /// One with the script `greeter`, enabled with these rights; `nil`: it is off.
  static func enabled(
    _ rights: [ScriptRight]?, refusal: StatusNotice? = nil,
    _ change: (inout ScriptManifest) -> Void = { _ in }
  ) async throws -> ScriptsFixture {
    let root = newRoot()
    let fixture = try ScriptsFixture([script(in: root, change)], in: root, refusal: refusal)
    if let rights {
      try await fixture.enable()
      for right in rights { try await fixture.enable("greeter", right) }
    }
    return fixture
  }
}
