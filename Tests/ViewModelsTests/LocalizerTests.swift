import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ViewModels

@Suite struct LocalizerTests {
  @Test func `placeholders are filled, unknown ones stay`() {
    let localizer = Localizer(tag: "en", texts: ["a.b": "{x} and {y} and {"])
    #expect(localizer("a.b", ["x": "1"]) == "1 and {y} and {")
    #expect(localizer("a.b") == "{x} and {y} and {")
    #expect(localizer("no.such") == "no.such")
  }

  @Test func `braces in an argument are left alone`() {
    let localizer = Localizer(tag: "en", texts: ["a": "{x}{y}"])
    #expect(localizer("a", ["x": "{y}", "y": "{x}"]) == "{y}{x}")
  }

  @Test(arguments: [
    ("en", 0, "other"), ("en", 1, "one"), ("en", 2, "other"), ("fr", 0, "one"), ("fr", 1, "one"),
    ("fr-CA", 2, "other"), ("zh-Hans", 1, "other"), ("de", 1, "one"), ("en", -1, "other"),
  ])
  func `each language has its own plural`(tag: String, count: Int, form: String) {
    let localizer = Localizer(
      tag: tag, texts: ["n.one": "one {count}", "n.other": "other {count}"])
    #expect(localizer.plural("n", count) == "\(form) \(count)")
  }

  @Test func `a missing text comes from English by the rule of English`() {
    let localizer = Localizer(
      tag: "fr", texts: ["a": "fr"],
      fallback: ["a": "en", "n.one": "{count} one", "n.other": "{count} more"])
    #expect(localizer("a") == "fr")
    #expect(localizer.plural("n", 0) == "0 more")
    #expect(localizer.plural("n", 1) == "1 one")
    #expect(localizer.plural("nothing", 1) == "nothing")
    #expect(localizer.has("n.one") && !localizer.has("n"))
  }

  @Test func `notices and errors are sentences`() {
    let localizer = Localizer(tag: "en", texts: ["e": "bad {x}"])
    #expect(localizer(Notice(.info, "e", ["x": "1"])) == "bad 1")
    #expect(localizer(NatterError(.refused, "e", ["x": "2"])) == "bad 2")
  }
}

/// The English texts against the keys that the program asks for.
@Suite struct EnglishTextsTests {
  /// Keys that are put together while the program runs, by the beginning they have in the sources.
  private static let computed = [
    "problem.", "key.", "hint.", "command.", "presence.", "status.reason.", "date.", "keyname.",
    "connection.", "help-text.", "localGuide.", "sidebar.", "stanza.", "room.",
    "exit.", "members.", "affiliation.", "tab.", "setting.", "status.notify.", "settings.page.",
    "settings.value.",
    "contacts.subscription.",
  ]

  /// Texts of errors that parts of the program below this one make.
  private static let fromBelow = ["error."]

  private func sources() throws -> [(path: String, text: String)] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return try paths.filter { $0.hasSuffix(".swift") }.map {
      ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8))
    }
  }

  @Test func `every text that is asked for is there`() throws {
    let texts = try englishTexts()
    let asking =
      /(?:localizer|localizer\.plural|Notice|NatterError)\((?:\.[a-zA-Z]+,\s*)?"([a-z][A-Za-z-]*\.[A-Za-z0-9.-]+)"/
    var missing: Set<String> = []
    var found = 0
    for (path, text) in try sources() {
      for match in text.matches(of: asking) {
        let key = String(match.1)
        found += 1
        if texts[key] == nil, texts[key + ".other"] == nil { missing.insert("\(key) (\(path))") }
      }
    }
    #expect(missing.isEmpty, "not in locales/en: \(missing.sorted())")
    #expect(found > 100)
  }

  @Test func `no text is there for nothing`() throws {
    let sources = try sources().map(\.text).joined()
    let unused = try englishTexts().keys.filter { key in
      var key = key
      for ending in [".one", ".other"] where key.hasSuffix(ending) { key.removeLast(ending.count) }
      let isComputed = (Self.computed + Self.fromBelow).contains { key.hasPrefix($0) }
      return !isComputed && !sources.contains("\"\(key)\"")
    }
    #expect(unused.isEmpty, "asked for nowhere: \(unused.sorted())")
  }

  @Test func `plurals have both forms and no text is empty`() throws {
    let texts = try englishTexts()
    for (key, text) in texts {
      #expect(!text.isEmpty, "\(key) is empty")
      if key.hasSuffix(".one") {
        #expect(texts[key.dropLast(3) + "other"] != nil, "\(key) has no other form")
      }
      #expect(
        text.filter { $0 == "{" }.count == text.filter { $0 == "}" }.count, "braces of \(key)")
    }
  }

  @Test func `what the storage reports is told`() throws {
    let texts = try englishTexts()
    for key in ["damaged", "newer", "full", "notWritable", "lockedBy", "locked", "other", "write"] {
      #expect(texts["error.storage.\(key)"] != nil, "error.storage.\(key)")
    }
  }
}
