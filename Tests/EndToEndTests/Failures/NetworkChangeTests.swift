import Foundation
import TestSupport
import Testing

/// The machine's network changes while Natter runs: the kernel reports it, and Natter checks at
/// once.
@Suite(.limitedConcurrency) struct NetworkChangeTests {
  let home: Home
  init() throws { home = try Home() }

  @Test(.requiresNetworkLinks) func `an address that a link gets is noticed`() async throws {
    try home.folder.write("a\n", to: "password")
    let natter = try PTYProcess(
      "unshare",
      [
        "-rn", Programs.natter, "--plain", "--account", "alice@host.invalid", "--server",
        "127.0.0.1:5222", "--tls", "starttls", "--password-file", home.folder.path("password"),
        "--log-level", "info",
      ], environment: home.environment())
    // In its network nothing leads anywhere.
    try await until("no connection") { log.contains("not connected: ") }
    #expect(!log.contains("the network changed"))
    try await CommandRun.check(
      "nsenter",
      [
        "-t", "\(natter.child.identifier)", "-U", "-n", "--preserve-credentials", "sh", "-c",
        NetworkLink.script,
      ], environment: NetworkLink.environment)
    try await until("the change in the log") { log.contains("the network changed: interfaces") }
    natter.type("/quit\n")
    #expect(await natter.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  private var log: String {
    (try? String(contentsOf: home.state.appending(path: "natter.log"), encoding: .utf8)) ?? ""
  }
}
