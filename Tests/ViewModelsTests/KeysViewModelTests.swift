import ChatsFixtures
import Testing

@testable import ViewModels

@Suite struct KeysViewModelTests {
  private let model = KeysViewModel(localizer: english()) {}

  init() {
    model.show([
      KeyItem(
        id: "everywhere quit", heading: "EVERYWHERE", keys: "^Q", text: "quit",
        name: ("quit", "everywhere")),
      KeyItem(
        id: "list filter", heading: "LISTS", keys: "/", text: "filter", name: ("filter", "list")),
      KeyItem(
        id: "list remove", heading: "LISTS", keys: "Del", text: "remove", name: ("remove", "list")),
      KeyItem(id: "vi 0 dd", heading: "VI", keys: "dd", text: "the line goes"),
    ])
  }

  @Test func `rows of one context are below its heading, which is never selected`() {
    #expect(
      model.lines.all == [
        .heading("EVERYWHERE"), .item(0), .heading("LISTS"), .item(1), .item(2), .heading("VI"),
        .item(3),
      ])
    #expect(model.lines.selected == 1)
    model.rows.moveSelection(1)
    #expect(model.lines.selected == 3)
    #expect(model.help == ["In keys.toml: filter under [list]. e opens that file."])
    model.rows.moveSelection(.max)
    #expect(model.help == ["These edit text and cannot be changed."])
  }

  @Test(arguments: [("quit", 1), ("del", 1), ("lists", 2), ("remove", 1), ("nothing at all", 0)])
  func `it is found by its keys, what they do, where, and by its name`(query: String, count: Int) {
    model.rows.beginFilter()
    model.rows.typeFilter(query)
    #expect(model.rows.shown.count == count)
    #expect(model.count == (count == 1 ? "1 key" : "\(count) keys"))
    if count == 0 { #expect(model.lines.all == [] && model.help.count == 1) }
  }

  @Test func `other keys replace those, and the selection stays`() {
    model.rows.select("list remove")
    model.show([
      KeyItem(id: "list filter", heading: "LISTS", keys: "f", text: "filter"),
      KeyItem(id: "list remove", heading: "LISTS", keys: "x", text: "remove"),
    ])
    #expect(model.rows.selected == "list remove" && model.lines.selected == 2)
  }
}
