import Foundation
import TestSupport
import Testing

@testable import natter

@Suite struct LocaleCatalogueTests {
  private let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources")

  private func catalogue(_ text: String) -> LocaleCatalogue { LocaleCatalogue(Array(text.utf8)) }

  @Test func `a text is found by its section and its name`() {
    let texts = catalogue(
      """
      # about
      [one]
      a = "first" # aside
      ab = "longer name"
      "n.other" = "with a point"

      [one.two]
      a = "deeper \\"quoted\\" \\u00e9"
      [three]
      a="no blanks"
      """)
    #expect(texts.text("one.a") == "first")
    #expect(texts.text("one.ab") == "longer name")
    #expect(texts.text("one.n.other") == "with a point")
    #expect(texts.text("one.two.a") == "deeper \"quoted\" é")
    #expect(texts.text("three.a") == "no blanks")
    #expect(texts.text("one.a") == "first", "asked again")
  }

  @Test(arguments: [
    "", "one", "one.", ".a", "a", "one.b", "two.a", "one.a.b", "one.bad", "one.number",
  ])
  func `what is not there or no text is none`(key: String) {
    #expect(catalogue("a = \"x\"\n[one]\na = \"x\"\nbad = \"\nnumber = 1\n").text(key) == nil)
  }

  @Test func `a section may be in several files`() {
    let texts = catalogue("[one]\na = \"x\"\n\n[two]\n\n[one]\nb = \"y\"")
    #expect(texts.text("one.a") == "x")
    #expect(texts.text("one.b") == "y")
    #expect(catalogue("").text("one.a") == nil)
    #expect(catalogue("[one]").text("one.a") == nil)
  }

  @Test func `every English text is found`() throws {
    let texts = try LocaleCatalogue("en", in: resources)
    let english = try englishTexts()
    #expect(english.count > 300)
    #expect(english.filter { texts.text($0.key) != $0.value } == [:])
  }

  @Test func `a language without a directory is missing`() {
    #expect(throws: MissingResources.self) {
      _ = try LocaleCatalogue("xx", in: resources)
    }
  }
}
