import ChatsFixtures
import NatterCore
import Testing
import XMPP

@testable import ViewModels

/// Topics that are as long as a page.
@Suite struct TopicTextTests {
  @Test func `a long topic is shown in part, and read as a whole`() async throws {
    let jid = JID(local: "tea", domain: "rooms.example.org")
    let topic = String(repeating: "word ", count: 400)
    let reported = TimelineIncident.text(
      of: RoomIncident(room: jid, .subjectChanged, ["name": "bob", "subject": topic + "\nend"]),
      format: testFormat())
    #expect(reported.count < 300 && reported.contains("…"))
    #expect(TopicText(subject: "short").notice?.arguments["text"] == "short")
    #expect(TopicText(subject: "").notice?.key == "status.noTopic")
    #expect(TopicText(subject: topic).notice == nil && TopicText(subject: "a\nb").notice == nil)
    var shown: FormViewModel?
    var isClosed = false
    TopicText(subject: topic + "\nend").read(testFormat()) { form in
      shown = form
      return { isClosed = true }
    }
    let form = try #require(shown)
    #expect(form.fields.first?.label.count ?? 0 >= 1999)
    #expect(form.fields.contains { $0.label == "end" })
    form.onCancel()
    #expect(isClosed)
  }
}
