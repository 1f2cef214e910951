import Foundation
import TestSupport
import Testing

extension Conversations {
  /// `natter serve` without `--account`: all accounts that are signed in here.
  @Suite struct ServeAccountsTests {
    @Test
    func `both accounts are served in one stream, and a message between them is one event of each`()
      async throws
    {
      let home = try Home()
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      try await home.login(alice)
      try await home.login(bob)
      let serve = try BridgeRun(["serve"], home: home)
      try await serve.greet()
      _ = try await serve.ask(
        "events.subscribe", #"{"events":["connection.changed"]}"#, id: 10)
      let list = try await serve.ask("accounts.list", id: 11)
      let accounts = list.result?["accounts"] as? [[String: Any]] ?? []
      #expect(accounts.count == 2, "\(list.text)")
      for account in accounts where account["state"] as? String != "online" {
        let jid = account["account"] as? String
        _ = try await serve.line("that \(jid ?? "") is online") { line in
          let parameters = line.members["params"] as? [String: Any]
          let data = parameters?["data"] as? [String: Any]
          return data?["account"] as? String == jid && data?["state"] as? String == "online"
        }
      }
      #expect(try await polls { home.listeningSockets.count == 2 })
      let subscription = try await serve.ask(
        "events.subscribe", #"{"events":["message.new"]}"#, id: 1)
      let name = try #require(subscription.result?["subscription"] as? String)
      let after = try #require(subscription.result?["after"] as? [String: Any])
      #expect(Set(after.keys) == [alice.jid, bob.jid])

      let unnamed = try await serve.ask(
        "messages.send", #"{"conversation":"\#(bob.jid)","body":"x"}"#, id: 2)
      #expect(unnamed.errorCode == -32602)
      let sent = try await serve.ask(
        "messages.send",
        #"{"account":"\#(alice.jid)","conversation":"\#(bob.jid)","body":"from one to the other"}"#,
        id: 3)
      #expect(sent.errorCode == nil, "\(sent.text)")
      for account in [alice.jid, bob.jid] {
        _ = try await serve.line("the event of \(account)") { line in
          let parameters = line.members["params"] as? [String: Any]
          let data = parameters?["data"] as? [String: Any]
          return parameters?["subscription"] as? String == name
            && data?["account"] as? String == account
            && data?["body"] as? String == "from one to the other"
        }
      }
      serve.signal(SIGTERM)
      #expect(await serve.waitsForEnd() == .exited(143))
      #expect(home.bridgeSockets == [])
    }
  }
}
