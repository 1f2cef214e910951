import NatterCore
import Testing
import XMPP

@Suite struct EventHubTests {
  @Test func `every subscriber gets every event in the order of publishing`() async {
    let hub = EventHub()
    let first = hub.events()
    let second = hub.events()
    let sent = (0..<100).map { DomainEvent.notice(Notice(.info, "\($0)")) }
    for event in sent { hub.publish(event) }
    for stream in [first, second] {
      var seen: [DomainEvent] = []
      for await event in stream {
        seen.append(event)
        if seen.count == sent.count { break }
      }
      #expect(seen == sent)
    }
  }

  @Test func `an event published before subscribing is not seen`() async {
    let hub = EventHub()
    hub.publish(.notice(Notice(.info, "early")))
    let stream = hub.events()
    hub.publish(.notice(Notice(.info, "late")))
    let first = await stream.first { _ in true }
    #expect(first == .notice(Notice(.info, "late")))
  }
}
