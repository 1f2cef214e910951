import Diagnostics
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct CarbonCopiesTests {
  let account = JID(local: "alice", domain: "example.org")

  @Test(arguments: [true, false])
  func `copies come where the server has them, and one that has none says so`(isOffered: Bool)
    async
  {
    let server = ScriptedArchive(account: account, offersCarbons: isOffered)
    let copies = CarbonCopies(log: .none)
    await copies.sessionStarted(.fixture, over: server)
    let requests = await server.requests
    #expect(requests.map { $0.first("enable", XEP0280Carbon.namespace) != nil } == [true])
    #expect(await copies.isOn == isOffered)
    await copies.sessionEnded()
    #expect(await copies.isOn == false)
  }

  @Test func `a refusal leaves them off`() async {
    let server = RecordingChannel { _ in throw StanzaError(.cancel, .serviceUnavailable) }
    let copies = CarbonCopies(log: .none)
    await copies.sessionStarted(.fixture, over: server)
    #expect(await copies.isOn == false)
  }
}
