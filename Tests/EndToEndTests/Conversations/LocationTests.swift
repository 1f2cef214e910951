import Foundation
import TestSupport
import Testing

/// A location between two accounts of the built-in server.
@Suite(.limitedConcurrency) struct LocationTests {
  @Test func `a location is shown before it is sent, and its recipient opens it in a program`()
    async throws
  {
    let home = try Home()
    let folder = try TemporaryFolder("opener")
    let opened = folder.path("opened")
    try folder.write("#!/bin/sh\necho \"$1\" >> \(opened)\n", to: "xdg-open", mode: 0o755)
    let path =
      folder.root.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    let bob = try NatterRun.local(
      account: "bob", home: home, environment: ["PATH": path, "DISPLAY": ":99"])
    try await bob.waitsOnline()
    try await me.open(chat: "bob@localhost")
    try await bob.open(chat: "me@localhost")
    try await me.enter("/location 48.8566,2.3522 Café at the corner")
    try await me.shows("Send a location", "48.85660,")
    #expect(bob.count(of: "48.85660") == 0)
    me.terminal.press(.tab, .enter)
    try await me.showsDelivered("⌖ 48.85660, 2.35220  Café at the corner")
    try await bob.shows("⌖ 48.85660, 2.35220  Café at the corner")
    try await bob.say("/open")
    try await bob.shows("is opened with xdg-open")
    try await folder.holds("opened") { $0 == "geo:48.8566,2.3522\n" }
    try await me.enter("/location 91,2")
    try await me.shows("the latitude comes first")
    #expect(await me.quit() == .exited(0))
    #expect(await bob.quit() == .exited(0))
  }
}
