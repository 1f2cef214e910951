import Foundation
import TestSupport
import Testing

/// Two conversations on one screen, with somebody else's client at the other end of each.
@Suite(.requires(.slixmpp), .limitedConcurrency) struct SplitEndToEndTests {
  @Test func `two conversations are read and written beside each other, also in another language`()
    async throws
  {
    let run = try await NatterRun.chatting()
    let ann = try await run.peer("ann")
    let bob = try await run.peer("bob")
    try await run.open(chat: "bob@localhost")
    try await run.open(chat: "ann@localhost")
    run.terminal.press(.control("x"), .text("|"))
    try await run.shows("need a screen of 120x20")
    run.terminal.resize(rows: 24, columns: 130)
    // A key may be quicker than the news of the size.
    try await run.shows("DETAILS")
    run.terminal.press(.control("x"), .text("|"))
    try await run.expects("two inputs") { screen in
      screen.text(row: 1).contains(">ann") && screen.text(row: 1).contains(" bob")
    }
    try await bob.send("from bob", to: "me@localhost")
    try await ann.send("from ann", to: "me@localhost")
    try await run.shows("from bob", "from ann")
    run.terminal.type("to ann")
    try await run.shows("> to ann")
    run.terminal.press(.f(9))
    try await run.expects("the keys at the right") { $0.text(row: 1).contains(">bob") }
    run.terminal.type("to bob")
    try await run.shows("> to ann", "> to bob")
    run.terminal.press(.enter)
    try await bob.message { $0.body == "to bob" }
    // The other half's draft was not sent; both halves are there after a change of language.
    run.terminal.type("/lang fr")
    try await run.shows("> /lang fr")
    run.terminal.press(.enter)
    try await run.shows("Écrivez un message", "> to ann", "from bob", "from ann")
    run.terminal.resize(rows: 24, columns: 100)
    try await run.hides("from ann")
    run.terminal.resize(rows: 24, columns: 130)
    try await run.shows("from bob", "from ann", "> to ann")
    #expect(run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
    // The next start has both where they were, each with its draft.
    let again = try run.startsAgain(rows: 24, columns: 130)
    try await again.shows("from bob", "from ann", "> to ann")
    try await again.expects("the keys at the right") { $0.text(row: 1).contains(">bob") }
    #expect(await again.quit() == .exited(0))
    await ann.signOut()
    await bob.signOut()
  }
}
