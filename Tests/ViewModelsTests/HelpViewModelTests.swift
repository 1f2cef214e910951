import Testing
import Text

@testable import ViewModels

@Suite struct HelpViewModelTests {
  let localizer = formTexts()
  let pages = [
    HelpPage(
      id: "keys", title: "Keys",
      sections: [
        HelpSection(
          heading: "THIS", entries: [HelpEntry("^J", "new line"), HelpEntry("F1", "help")]),
        HelpSection(heading: "ALL", entries: [HelpEntry("^Q", "quit")]),
      ], footer: ["foot"]),
    HelpPage(
      id: "commands", title: "Commands",
      sections: [HelpSection(heading: "CMD", entries: [HelpEntry("/quit", "ends Natter")])]),
  ]

  private func model(_ topic: String = "") -> HelpViewModel {
    HelpViewModel(pages: pages, localizer: localizer, topic: topic)
  }

  @Test func `page down goes through the page and on to the next`() {
    let model = model()
    model.turn(by: 1, rows: 10, visible: 4)
    #expect(model.scroll == 3)
    model.turn(by: 1, rows: 10, visible: 4)
    #expect(model.scroll == 6)
    model.turn(by: 1, rows: 10, visible: 4)
    #expect((model.page, model.scroll) == (1, 0))
    model.turn(by: 1, rows: 3, visible: 4)
    #expect((model.page, model.scroll) == (1, 0))
    model.turn(by: -1, rows: 3, visible: 4)
    #expect(model.page == 0)
    #expect(model.title == "Help: Keys   (1/2)")
  }

  @Test(arguments: [("commands", 1), ("/commands", 1), (" KEYS ", 0), ("", 0)])
  func `a topic is a page`(topic: String, page: Int) {
    let model = model(topic)
    #expect(model.page == page)
    #expect(model.query == nil)
  }

  @Test func `a topic that is no page is searched for`() {
    let model = model("/quit")
    #expect(model.sections.flatMap(\.entries).map(\.term) == ["^Q", "/quit"])
    model.cancel()
    #expect(model.sections.map(\.heading) == ["THIS", "ALL"])
  }

  @Test func `a topic that is nowhere is said, made harmless`() {
    let model = model("no\u{1b}[2Jthing")
    #expect(model.footer == ["There is no help on \"no [2jthing\". Press / to search."])
    #expect(model.sections.map(\.heading) == ["THIS", "ALL"])
  }

  @Test func `searching finds entries that have all the terms`() {
    let model = model()
    model.beginSearch()
    model.edit("line new", cursor: 8)
    #expect(model.sections.flatMap(\.entries).map(\.term) == ["^J"])
    model.edit("nothing at all", cursor: 3)
    #expect(model.sections.isEmpty)
    #expect(model.footer == [localizer("help.nothing")])
    model.endTyping()
    #expect(!model.isTyping)
  }

  @Test(
    arguments: [
      ("sto", ["^Q"]), ("quit STOP", ["^Q"]), ("top", []), ("nou", ["^L"]), ("绘", ["^L"]),
      (", ", []),
    ] as [(String, [String])])
  func `an entry is found by the beginnings of its synonyms`(
    query: String, found: [String]
  ) {
    let entries = [
      HelpEntry("^Q", "quit", synonyms: "bye, stop"),
      HelpEntry("^L", "redraw", synonyms: "à nouveau, 重绘"),
    ]
    let model = HelpViewModel(
      pages: [
        HelpPage(
          id: "keys", title: "Keys", sections: [HelpSection(heading: "ALL", entries: entries)])
      ], localizer: localizer)
    model.beginSearch()
    model.edit(query, cursor: query.count)
    #expect(model.sections.flatMap(\.entries).map(\.term) == found)
  }

  @Test func `esc leaves the search, then the help`() {
    var closed = 0
    let model = model()
    model.onClose = { closed += 1 }
    model.beginSearch()
    model.cancel()
    #expect(closed == 0)
    #expect(!model.isTyping)
    model.cancel()
    #expect(closed == 1)
  }

  @Test func `without pages there is nothing to break`() {
    let model = HelpViewModel(pages: [], localizer: localizer, topic: "x")
    model.turn(by: 1, rows: 0, visible: 0)
    model.showPage(by: 1)
    #expect(model.sections.isEmpty)
    #expect(!model.title.isEmpty)
  }
}
