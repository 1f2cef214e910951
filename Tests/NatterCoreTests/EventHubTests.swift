import Testing
import XMPP

@testable import NatterCore

@Suite struct EventHubTests {
  @Test func `every subscriber gets every event in the order of publishing`() async {
    let hub = EventHub()
    let first = hub.events()
    let second = hub.events()
    let sent = (0..<100).map { DomainEvent.notice(StatusNotice(.info, "\($0)")) }
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
    hub.publish(.notice(StatusNotice(.info, "early")))
    let stream = hub.events()
    hub.publish(.notice(StatusNotice(.info, "late")))
    let first = await stream.first { _ in true }
    #expect(first == .notice(StatusNotice(.info, "late")))
  }

  /// It used to lock up: the one held the hub and wanted the task, the other the task and wanted
  /// the hub.
  @Test func `publishing while subscribers are cancelled never locks up`() async {
    let hub = EventHub()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<5000 { hub.publish(.notice(StatusNotice(.info, "\(number)"))) }
      }
      group.addTask {
        for _ in 0..<2000 {
          let stream = hub.events()
          let reader = Task { for await _ in stream {} }
          await Task.yield()
          reader.cancel()
          await reader.value
        }
      }
    }
    hub.publish(.notice(StatusNotice(.info, "last")))
    #expect(hub.subscriberCount == 0)
  }

  @Test func `a subscriber that was let go of is forgotten`() async {
    let hub = EventHub()
    var stream: AsyncStream<DomainEvent>? = hub.events()
    #expect(hub.subscriberCount == 1 && stream != nil)
    stream = nil
    hub.publish(.notice(StatusNotice(.info, "nobody")))
    #expect(hub.subscriberCount == 0)
  }
}
