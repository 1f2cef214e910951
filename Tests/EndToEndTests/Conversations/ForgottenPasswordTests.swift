import Foundation
import TestSupport
import Testing

/// A user whose password is no longer accepted: the addresses for support (XEP-0157).
@Suite(.requires(.prosody), .timeLimit(.minutes(6))) struct ForgottenPasswordTests {
  @Test func `a user who forgot the password is shown whom the server names`() async throws {
    let server = try await ProsodyServer(users: ["alice": "geheim"])
    let natter = try NatterRun.account("alice@natter.test", "geheim", on: server, rows: 36)
    try await natter.waitsOnline()
    try await Self.remembersHelp(natter.home)
    // Somebody who runs the server gives the account another password.
    try await server.addUser("alice", password: "neu 1")
    await server.stop()
    try await server.restart()
    try await natter.shows("Wrong password", "Forgotten?")
    // From the password past two boxes and two buttons.
    for _ in 0..<12 where !natter.screen.contains("[>Forgotten?") {
      // The cursor and the button's mark may come one after the other.
      let before = natter.screen.cursor
      natter.terminal.press(.tab)
      try await natter.expects("the next field") { $0.cursor != before }
      _ = await natter.terminal.settles()
    }
    try await natter.expects("the focus on the button") { $0.contains("[>Forgotten?") }
    natter.terminal.press(.enter)
    try await natter.shows(
      "Forgotten password", "Contact them here", "xmpp:help@natter.test")
    natter.terminal.press(.enter)
    try await natter.hides("Contact them here")
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  /// Waits until the account's database has what the server says of itself.
  private static func remembersHelp(_ home: Home) async throws {
    try await CommandRun.check(
      "/usr/bin/python3",
      [
        "-c",
        """
        import glob, sqlite3, sys, time
        while True:
            for path in glob.glob(sys.argv[1] + "/accounts/*.db"):
                try:
                    base = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
                    if base.execute("SELECT 1 FROM setting WHERE key = 'server.contacts-read'").fetchone():
                        sys.exit(0)
                except sqlite3.OperationalError:
                    pass
            time.sleep(0.05)
        """, home.data.path,
      ])
  }
}
