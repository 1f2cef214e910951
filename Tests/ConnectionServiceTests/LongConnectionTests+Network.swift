import NatterCore
import Sockets
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

// The reports of the network monitor reach the connection.
extension LongConnectionTests {
  @Test func `an address that comes, and a clock that jumped: a heartbeat at once`() async {
    let network = FakeNetwork()
    let stream = lasting()
    let supervisor = supervisor(
      ScriptedConnector([.success(stream)]), network: NetworkMonitor(network.sources),
      sleep: Pause.endless)
    await run(supervisor) { state in
      guard state == .online else { return false }
      network.getsLink()
      await wait { await stream.probes == 1 }
      network.sleeps(for: .seconds(3600))
      await wait { await stream.probes == 2 }
      network.getsLink()
      await wait { await stream.probes == 3 }
      return true
    }
    #expect(await stream.probes == 3)
  }

  @Test(arguments: [true, false])
  func
    `a message that nobody acknowledges has a beat follow at once, one that is acknowledged none`(
      isAcknowledged: Bool
    ) async throws
  {
    let stream = lasting()
    await stream.holdsUnacknowledged(["m1"])
    let limit = Heartbeat().answerLimit
    let slept = Observed(0)
    let supervisor = supervisor(
      ScriptedConnector([.success(stream)]),
      sleep: { wait in
        guard wait == limit else { return try await Pause.endless(wait) }
        if isAcknowledged { await stream.holdsUnacknowledged([]) }
        slept.update { $0 += 1 }
      })
    await run(supervisor) { state in
      guard state == .online else { return false }
      // What else is written asks for nothing.
      try? await supervisor.send(Element("presence", Namespace.client))
      await wait {
        try? await supervisor.send(Element("message", Namespace.client, ["id": "m1"]))
        return slept.value > 0
      }
      if !isAcknowledged { await wait { await stream.probes > 0 } }
      return true
    }
    #expect(await (stream.probes > 0) == !isAcknowledged)
  }

  @Test(arguments: [true, false])
  func `an address that comes, or a clock that jumped, while it waits: the next attempt at once`(
    isAddress: Bool
  ) async {
    let network = FakeNetwork()
    let connector = ScriptedConnector([.failure(down), .success(lasting())])
    let supervisor = supervisor(
      connector, network: NetworkMonitor(network.sources), sleep: Pause.endless)
    await run(supervisor) { state in
      if case .waiting = state {
        if isAddress { network.getsLink() } else { network.sleeps(for: .seconds(3600)) }
      }
      return state == .online
    }
    #expect(await connector.attempts == 2)
  }
}
