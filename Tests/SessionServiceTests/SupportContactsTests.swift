import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import SessionService

@Suite struct SupportContactsTests {
  private actor Memory: PreferenceStoring {
    private var kept: [String: String] = [:]
    func values() -> [String: String] { kept }
    func setValue(_ value: String?, for key: String) { kept[key] = value }
  }

  private let memory = Memory()
  private let time = Observed(1_000_000.0)
  private static let alice = JID(local: "alice", domain: "example.org")

  private func keeper() -> SupportContacts {
    SupportContacts(account: Self.alice, memory: memory) { [time] in
      Date(timeIntervalSince1970: time.value)
    }
  }

  private func server(_ support: [String], _ administration: [String] = []) -> RecordingChannel {
    RecordingChannel { _ in
      let form = XEP0004DataForm(
        .result,
        fields: [
          .init("FORM_TYPE", kind: .hidden, values: [XEP0157ContactAddresses.formType]),
          .init("support-addresses", values: support),
          .init("admin-addresses", values: administration),
        ])
      return Element(
        "iq", Namespace.client, ["type": "result"], [XEP0030Discovery(forms: [form]).element()])
    }
  }

  @Test func `what the server says is there when it says nothing any more, once in a week`()
    async throws
  {
    let channel = server(
      ["xmpp:help@example.org", "mailto:a@example.org"],
      ["mailto:a@example.org", "mailto:root@example.org"])
    let keeper = keeper()
    #expect(await keeper.addresses() == [])
    await keeper.sessionStarted(.fixture, over: channel)
    let wanted = ["xmpp:help@example.org", "mailto:a@example.org", "mailto:root@example.org"]
    #expect(await keeper.addresses() == wanted)
    #expect(await self.keeper().addresses() == wanted)
    #expect(await channel.requests.map { $0["to"] } == ["example.org"])
    // Not with every session.
    await self.keeper().sessionStarted(.fixture, over: channel)
    #expect(await channel.requests.count == 1)
    time.update { $0 += SupportContacts.lifetime + 1 }
    let other = server(["mailto:new@example.org"])
    await self.keeper().sessionStarted(.fixture, over: other)
    #expect(await keeper.addresses() == ["mailto:new@example.org"])
    // A clock that was wrong does not keep it for ever.
    time.update { $0 = 0 }
    await self.keeper().sessionStarted(.fixture, over: channel)
    #expect(await keeper.addresses() == wanted)
  }

  @Test func `a server that says nothing is asked again, and what it said before stays`()
    async throws
  {
    let keeper = keeper()
    await keeper.sessionStarted(.fixture, over: server(["mailto:a@example.org"]))
    time.update { $0 += SupportContacts.lifetime + 1 }
    let silent = RecordingChannel { _ in throw ChannelError.timedOut }
    await keeper.sessionStarted(.fixture, over: silent)
    #expect(await keeper.addresses() == ["mailto:a@example.org"])
    await keeper.sessionStarted(.fixture, over: silent)
    #expect(await silent.requests.count == 2)
  }

  @Test func `of a hostile server a few single lines are kept`() async {
    let keeper = keeper()
    await keeper.sessionStarted(
      .fixture, over: server((0..<100).map { "a\n\($0)" }))
    let kept = await keeper.addresses()
    #expect(kept.count == 8)
    #expect(kept.first == "a0")
  }
}
