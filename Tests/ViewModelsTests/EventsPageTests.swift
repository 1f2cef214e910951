import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct EventsPageTests {
  private final class Screen {
    var form: FormViewModel?
    var choices: [ChoiceRequest] = []
    var asked: [ConfirmRequest] = []
  }

  private func page(
    _ planner: FakeEventPlanner, _ screen: Screen, ports: FakePorts = FakePorts(now: .afternoon)
  ) async -> (EventsPage, ShellViewModel) {
    var actions = ShellActions.forTests()
    actions.showForm = { form in
      screen.form = form
      return { if screen.form === form { screen.form = nil } }
    }
    actions.choose = { screen.choices.append($0) }
    actions.confirm = { screen.asked.append($0) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    let page = EventsPage(shell: shell, planner: planner)
    page.appeared()
    await shell.finish()
    return (page, shell)
  }

  @Test func `those to come are listed with when, who and what of them is one's own`() async {
    let planner = FakeEventPlanner(.wireframe(now: .afternoon))
    let (page, _) = await page(planner, Screen())
    let cards = page.rows.shown.map { page.card($0) }
    #expect(cards.map(\.text) == ["A walk - By the canal", "Dinner", "A talk"])
    #expect(cards.map(\.number) == ["2", "", ""])
    #expect(cards.map(\.glyph) == ["v", ".", "-"])
    #expect(cards.map(\.note) == ["going", "pending", "cancelled"])
    #expect(cards[0].title == "2026-11-21 14:00")
    #expect(page.count == "3 upcoming events  list" && page.month == nil)
    #expect(page.headline == "2 calendars, as of 14:00")
    page.rows.setFilter("canal")
    #expect(page.rows.shown == [0])
    #expect(await planner.calls == [])
  }

  @Test func `calendars with nothing to come and those that wait are listed, and left there`()
    async
  {
    let screen = Screen()
    var listing = EventListing.wireframe(now: .afternoon)
    let (quiet, wanted) = (
      EventCalendar.ID(JID(local: "kim", domain: "example.net")),
      EventCalendar.ID(JID(local: "zoe", domain: "example.net"))
    )
    listing.calendars.append(EventCalendar(id: quiet, readAt: .afternoon))
    listing.waiting = [wanted]
    let planner = FakeEventPlanner(listing)
    let (page, shell) = await page(planner, screen)
    let cards = page.rows.shown.map { page.card($0) }
    #expect(cards.map(\.text).suffix(2) == ["Will be followed.", "No upcoming events."])
    #expect(page.count == "3 upcoming events  list")
    for (row, address) in [(3, "zoe@example.net"), (4, "kim@example.net")] {
      page.rows.select(row: row)
      #expect(page.selected == nil && page.summary.last?.hasPrefix("Del unfollows it") == true)
      page.perform(.toggle)
      page.perform(.rename)
      page.perform(.remove)
      screen.asked.last?.onAccept()
      await shell.finish()
      #expect(await planner.calls.last == "leave \(address)")
    }
    page.perform(.sort)
    #expect(page.selectedDay.text == "2026-11-20")
  }

  @Test func `the month has a row for each day, and marks those on which something is`()
    async throws
  {
    let (page, _) = await page(FakeEventPlanner(.wireframe(now: .afternoon)), Screen())
    page.rows.select(row: 2)
    page.perform(.sort)
    // The day of the event that was selected.
    #expect(page.selectedDay.text == "2026-12-02")
    let month = try #require(page.month)
    #expect(month.title == "December 2026" && month.weeks.count == 5)
    #expect(month.weekdays.first == "Mo")
    #expect(month.weeks[0].map(\.text) == ["", "1", "2", "3", "4", "5", "6"])
    #expect(month.weeks[0][2].isSelected && month.weeks[0][2].isBusy && !month.weeks[0][1].isBusy)
    #expect(page.summary.count == 1)
    page.rows.select("2026-11-21")
    #expect(page.month?.title == "November 2026")
    let card = page.card(page.rows.selectedIndex ?? 0)
    #expect(card.title == "Saturday 21" && card.number == "2")
    #expect(card.text == "14:00 A walk, 18:00 Dinner")
    page.rows.moveSelection(-1)
    #expect(page.month?.weeks[3][4].isToday == true)
    page.perform(.sort)
    #expect(page.rows.shown.count == 3)
  }

  @Test func `an event that is opened shows who comes, and takes an answer`() async {
    let screen = Screen()
    let planner = FakeEventPlanner(.wireframe(now: .afternoon))
    let (page, shell) = await page(planner, screen)
    page.perform(.open)
    await shell.finish()
    #expect(await planner.calls == ["answers walk"])
    let rows = screen.form?.fields.map { "\($0.id) \($0.label)" } ?? []
    #expect(
      rows.contains("answers-yes bob@example.net, you")
        || rows.contains("answers-yes You, bob@example.net"))
    #expect(rows.contains("answers-maybe kim@example.org"))
    #expect(!rows.contains { $0.hasPrefix("change") })
    screen.form?.onPress("maybe")
    await shell.finish()
    #expect(await planner.calls.last == "answer walk maybe")
    page.perform(.toggle)
    #expect(screen.choices.last?.selected == 0)
    screen.choices.last?.onEnd(2)
    await shell.finish()
    #expect(await planner.calls.last == "answer walk no")
  }

  @Test func `a plan that is typed is made, once it is one`() async throws {
    let screen = Screen()
    let planner = FakeEventPlanner()
    let (page, shell) = await page(planner, screen)
    page.perform(.add)
    screen.choices.last?.onEnd(0)
    let form = try #require(screen.form)
    #expect(form["day"]?.text == "2026-11-20")
    func type(_ field: String, _ text: String) { form.update(field) { $0.text = text } }
    type("name", "Tea")
    type("day", "tomorrow")
    type("start", "25")
    form.onPress("submit")
    #expect(form["day"]?.error != nil && form["start"]?.error != nil && screen.form === form)
    type("day", "2026-11-28")
    type("start", "22:30")
    type("end", "1:00")
    type("place", "Here")
    form.update("asks") { $0.isOn = false }
    form.onPress("submit")
    await shell.finish()
    let plan = try #require(await planner.plans.last)
    #expect(plan.name == "Tea" && plan.place == "Here" && !plan.takesAnswers && plan.room == nil)
    // Until the next day.
    #expect(plan.end.timeIntervalSince(plan.start) == 2.5 * 3600)
    #expect(screen.form == nil)
  }

  @Test func `an event for a room is sent to the room`() async throws {
    let screen = Screen()
    let planner = FakeEventPlanner()
    let ports = FakePorts(now: .afternoon)
    let (page, shell) = await page(planner, screen, ports: ports)
    let room = Room(
      jid: JID(local: "walks", domain: "rooms.example.org"), nick: "alice", phase: .inside)
    shell.handle(.roomsChanged([room]))
    page.askForPlan()
    let form = try #require(screen.form)
    form.update("name") { $0.text = "A walk" }
    form.update("whom") { $0.selected = 1 }
    form.onPress("submit")
    await shell.finish()
    #expect(await planner.plans.last?.room == room.jid)
    let sent = await ports.calls.last { $0.hasPrefix("send") } ?? ""
    #expect(sent.contains("Event: A walk") && sent.contains("xmpp:alice@example.org?pubsub;"))
  }

  @Test func `a plan that cannot be stored is back in its form`() async throws {
    let screen = Screen()
    let planner = FakeEventPlanner()
    let (page, shell) = await page(planner, screen)
    await planner.fail(with: NatterError(.storage, "error.storage.full"))
    page.askForPlan()
    let form = try #require(screen.form)
    form.update("name") { $0.text = "Tea" }
    form.onPress("submit")
    #expect(screen.form == nil)
    await shell.finish()
    #expect(screen.form === form && form.text(of: "name") == "Tea" && form.message != nil)
    await planner.fail(with: nil)
    form.onPress("submit")
    await shell.finish()
    #expect(screen.form == nil)
    #expect(await planner.calls.filter { $0.hasPrefix("make") } == ["make Tea", "make Tea"])
  }

  @Test func `one's own events are changed and removed, others' calendars left`() async throws {
    let screen = Screen()
    let planner = FakeEventPlanner(.wireframe(now: .afternoon))
    let (page, shell) = await page(planner, screen)
    page.perform(.rename)
    #expect(screen.form == nil)
    page.perform(.remove)
    screen.asked.last?.onAccept()
    await shell.finish()
    #expect(await planner.calls == ["leave bob@example.net"])
    page.rows.select(row: 1)
    page.perform(.rename)
    let form = try #require(screen.form)
    #expect(form["text"]?.text == "Bring something. Or not." && form["whom"] == nil)
    form.update("name") { $0.text = "Supper" }
    form.onPress("submit")
    await shell.finish()
    // Lines that were not touched stay lines.
    #expect(await planner.plans.last?.text == "Bring something.\nOr not.")
    page.perform(.remove)
    screen.asked.last?.onAccept()
    await shell.finish()
    #expect(await planner.calls.suffix(2) == ["change dinner", "remove dinner"])
  }

  @Test func `an address of an event leads to it, after a question where its calendar is new`()
    async throws
  {
    let screen = Screen()
    let planner = FakeEventPlanner(.wireframe(now: .afternoon))
    let (_, shell) = await page(planner, screen)
    let mediator = Mediator()
    var shown: [String] = []
    shell.publishEvents(to: mediator, planner: planner) { shown.append("\($0) \($1)") }
    let node = "urn%3Axmpp%3Acalendar-events%3A0"
    try mediator.open("xmpp:bob@example.net?pubsub;action=retrieve;node=\(node);item=walk")
    await shell.finish()
    #expect(shown == ["events walk"] && screen.asked.isEmpty)
    // One that was left is asked about again.
    try mediator.open("xmpp:eve@example.net?pubsub;action=retrieve;node=\(node);item=x")
    await shell.finish()
    #expect(shown.count == 1 && screen.asked.count == 1)
    screen.asked.last?.onAccept()
    await shell.finish()
    #expect(await planner.calls == ["follow eve@example.net urn:xmpp:calendar-events:0"])
    #expect(shown.last == "events x")
    #expect(throws: NatterError.self) { try mediator.open("xmpp:a@b?pubsub;node=other") }
  }
}
