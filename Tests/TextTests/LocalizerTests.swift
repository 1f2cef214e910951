import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import Text

@Suite struct LocalizerTests {
  @Test(arguments: [
    ("en", "1.6 MB", "999 B"), ("fr", "1,6 Mo", "999 o"), ("zh-Hans", "1.6 MB", "999 B"),
  ])
  func `sizes are written as in the language, also those in errors`(
    tag: String, large: String, small: String
  ) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    #expect(localizer.size(1_600_000) == large && localizer.size(999) == small)
    let error = NatterError(
      .refused, "error.files.tooLarge", ["size": "1600000", "limit": "999"])
    #expect(localizer(error).contains(large) && localizer(error).contains(small))
    // What was stored as a text before stays one.
    let old = NatterError(.refused, "error.files.tooLarge", ["size": "7 MB", "limit": "x"])
    #expect(localizer(old).contains("7 MB"))
  }

  @Test(arguments: [
    ("en", "it is a folder", "system error 4711"),
    ("fr", "c'est un dossier", "erreur numéro 4711"), ("zh-Hans", "它是文件夹", "系统错误编号 4711"),
  ])
  func `what the system and the other side say is said in the language`(
    tag: String, folder: String, unknown: String
  ) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    func reported(_ number: String) -> String {
      localizer(NatterError(.storage, "error.files.unreadable", ["reason": number]))
    }
    #expect(reported("21").contains(folder))
    #expect(reported("4711").contains(unknown))
    // An error that was stored as text stays as it is.
    #expect(reported("as it was").contains("as it was"))
    let slot = localizer(
      NatterError(.refused, "error.files.slot", ["reason": "not-allowed", "text": "no more"]))
    #expect(!slot.contains("not-allowed") && !slot.contains("not allowed:"))
    #expect(slot.contains("no more"))
    #expect(slot.contains(localizer("stanza.not-allowed", ["text": ""]).trimmed))
  }

  @Test(arguments: [
    ("en", "den@rooms.example.org says: \"no\"", "The server says: \"no\""),
    ("fr", "den@rooms.example.org dit : « no »", "Le serveur dit : « no »"),
    ("zh-Hans", "den@rooms.example.org 说：“no”", "服务器说：“no”"),
  ])
  func `the source of a refusal's text is shown`(tag: String, named: String, nameless: String)
    throws
  {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    let room = JID(local: "den", domain: "rooms.example.org")
    func reported(_ text: String?, _ speaker: JID?) -> String {
      let error = StanzaError(.cancel, .notAllowed, text: text, speaker: speaker)
      return localizer(NatterError(answering: error))
    }
    #expect(reported("no", room).hasSuffix(named))
    #expect(reported("no", nil).hasSuffix(nameless))
    // Where nothing is said, nobody says it.
    for silent in [reported(nil, room), reported("", room), reported(nil, nil)] {
      #expect(!silent.contains("{") && !silent.contains("den@") && !silent.contains(":"))
    }
    let arguments = StanzaError(.cancel, .notAllowed, text: "no", speaker: room).arguments
    let slot = localizer(
      NatterError(
        .refused, "error.files.slot", ["reason": "not-allowed"].merging(arguments) { $1 }))
    #expect(slot.hasSuffix(named))
    #expect(localizer("error.room.nickRefused", arguments).hasSuffix(named))
    #expect(localizer("error.discover.noInvitation", ["text": "no"]).hasSuffix(nameless))
  }

  @Test(arguments: [
    ("en", "Reason given: \"no\""), ("fr", "Raison donnée : « no »"),
    ("zh-Hans", "给出的原因：“no”"),
  ])
  func `a refusal that may be the own server's names no source`(
    tag: String, nobody: String
  ) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    let bob = JID(local: "bob", domain: "example.net")
    func reported(_ text: String?) -> String {
      let error = StanzaError(
        .cancel, .remoteServerNotFound, text: text, speaker: bob, isDoubtful: true)
      return localizer(NatterError(answering: error))
    }
    #expect(reported("no").hasSuffix(nobody) && !reported("no").contains("bob"))
    #expect(reported(nil) == reported("") && !reported("").contains("{"))
    let error = StanzaError(.wait, .resourceConstraint, text: "no", speaker: bob, isDoubtful: true)
    #expect(HistoryRefusal(error).speaker == nil && HistoryRefusal(error).reason == "no")
  }

  @Test(arguments: [("en", "too large"), ("fr", "trop volumineuse"), ("zh-Hans", "太大")])
  func `an answer that was too large to read is said to be so`(tag: String, text: String) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    #expect(localizer(NatterError(answering: StanzaError.answerTooLarge)).contains(text))
    // Another side that finds a request too large says something else.
    let tooBig = StanzaError.answerTooLarge.applicationCondition
    let refusal = StanzaError(.modify, .policyViolation, applicationCondition: tooBig)
    #expect(NatterError(answering: refusal).key == "stanza.policy-violation")
  }

  @Test(arguments: [
    ("en", "a, b", "/a, /b", "\"x\""), ("fr", "a, b", "/a, /b", "« x »"),
    ("zh-Hans", "a、b", "/a、/b", "“x”"),
  ])
  func `lists are written as in the language, also those in errors`(
    tag: String, list: String, named: String, quoted: String
  ) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    #expect(localizer.list(["a", "b"]) == list && localizer.list(["a"]) == "a")
    let error = NatterError(
      .invalidInput, "error.ambiguousCommand", ["name": "x", "names": "/a, /b"])
    #expect(localizer(error).contains(named))
    #expect(localizer("header.status", ["text": "x"]) == quoted)
  }

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

  @Test func `synonyms are those of the language and the English ones`() {
    let localizer = Localizer(
      tag: "fr", texts: ["synonyms.key.find": "trouver"],
      fallback: ["synonyms.key.find": "grep, seek", "synonyms.key.send": "submit"])
    #expect(localizer.synonyms(of: "key.find") == "trouver, grep, seek")
    #expect(localizer.synonyms(of: "key.send") == "submit")
    #expect(localizer.synonyms(of: "key.quit") == "")
  }

  @Test func `notices and errors are sentences`() {
    let localizer = Localizer(tag: "en", texts: ["e": "bad {x}"])
    #expect(localizer(StatusNotice(.info, "e", ["x": "1"])) == "bad 1")
    #expect(localizer(NatterError(.refused, "e", ["x": "2"])) == "bad 2")
  }
}

/// The English texts against the keys that the program asks for.
@Suite struct EnglishTextsTests {
  /// Keys that are put together while the program runs, by the beginning they have in the sources.
  private static let computed = [
    "problem.", "key.", "hint.", "command.", "presence.", "status.reason.", "date.", "keyname.",
    "connection.", "help-text.", "localGuide.", "sidebar.", "stanza.", "room.",
    "exit.", "members.", "affiliation.", "tab.", "setting.", "status.notify.", "status.role.",
    "settings.page.",
    "settings.value.",
    "contacts.subscription.", "find.filter.", "find.has.",
    "files.filter.", "files.none.", "files.kind.", "discover.page.",
    "discover.preview.", "about.width.", "themes.name.", "timeline.call.",
    "discover.trait.", "discover.events.", "discover.kind.", "discover.feature.", "discover.part.",
    "discover.invite.", "doctor.feature-", "doctor.scripts-",
    "profile.field.", "profile.visibility.", "contact.can.", "account.row.", "ownPresence.row.",
    "remote.", "synonyms.",
    "contact.reason.", "contact.change.", "field.",
    "guide.chats", "guide.contacts", "guide.discover", "guide.files", "guide.meText",
    "guide.meShort", "status.history.", "scripts.state.", "scripts.stateHelp.",
    "scripts.confinement.", "permission.",
  ]

  /// Texts of errors that parts of the program below this one make.
  private static let fromBelow = ["error."]

  private func literals() throws -> KeyLiterals {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    var literals = KeyLiterals()
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
    where path.hasSuffix(".swift") {
      literals.add(try String(contentsOf: root.appending(path: path), encoding: .utf8))
    }
    return literals
  }

  @Test func `every text that is asked for is there`() throws {
    let texts = try englishTexts()
    let asked = try literals().asked
    let missing = asked.filter { texts[$0] == nil && texts[$0 + ".other"] == nil }
    #expect(missing.isEmpty, "not in locales/en: \(missing.sorted())")
    #expect(asked.count > 1000)
  }

  @Test func `no text is there for nothing`() throws {
    let literals = try literals().all
    let unused = try englishTexts().keys.filter { key in
      var key = key
      for ending in [".one", ".other"] where key.hasSuffix(ending) { key.removeLast(ending.count) }
      let isComputed = (Self.computed + Self.fromBelow).contains { key.hasPrefix($0) }
      return !isComputed && !literals.contains(key)
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

  @Test func `each error of the storage has a text`() throws {
    let texts = try englishTexts()
    for key in ["damaged", "newer", "full", "notWritable", "lockedBy", "locked", "other", "write"] {
      #expect(texts["error.storage.\(key)"] != nil, "error.storage.\(key)")
    }
  }
}

/// The other languages against English.
@Suite struct LanguageTests {
  nonisolated private static let tags = ["fr", "zh-Hans"]

  @Test(arguments: tags)
  func `a language has every text, and no other`(tag: String) throws {
    let english = try englishTexts()
    let own = try texts(of: tag)
    // A language without a singular has the other form alone.
    let wanted = english.keys.filter { tag != "zh-Hans" || !$0.hasSuffix(".one") }
    #expect(Set(wanted).subtracting(own.keys).sorted() == [], "missing")
    #expect(Set(own.keys).subtracting(wanted).sorted() == [], "not asked for")
    #expect(own.filter { $0.value.isEmpty }.keys.sorted() == [])
  }

  @Test(arguments: tags)
  func `placeholders are those of English`(tag: String) throws {
    let english = try englishTexts()
    // A literal is compiled again each time that it is evaluated.
    let placeholder = /\{([A-Za-z]+(?::[a-z]+)?)\}/
    func placeholders(_ text: String) -> Set<String> {
      Set(text.matches(of: placeholder).map { String($0.1) })
    }
    for (key, text) in try texts(of: tag) {
      guard let original = english[key] else { continue }
      #expect(placeholders(text) == placeholders(original), "\(key)")
    }
  }

  @Test(arguments: tags)
  func `command names and options stay as they are typed`(tag: String) throws {
    let english = try englishTexts()
    for (key, text) in try texts(of: tag) where key.hasPrefix("command.") && key.hasSuffix(".usage")
    {
      #expect(text.prefix { $0 != " " } == english[key]?.prefix { $0 != " " }, "\(key)")
    }
    let option = /--[a-z]+(-[a-z]+)*/
    let options = { (text: String) in
      Set(text.matches(of: option).map { String($0.output.0) })
    }
    let own = try texts(of: tag)
    for key in english.keys where key.hasPrefix("help-text.") {
      #expect(options(own[key] ?? "") == options(english[key] ?? ""), "\(key)")
    }
  }

  @Test(arguments: tags)
  func `short texts are not much wider than their space`(tag: String) throws {
    // The hint bar has a row of eighty columns for six of them.
    for (key, text) in try texts(of: tag) where key.hasPrefix("hint.") || key.hasPrefix("tab.") {
      #expect(text.count <= 11, "\(key)")
    }
  }

  @Test(arguments: tags + ["en"])
  func `an ellipsis is three full stops`(tag: String) throws {
    // The width of the character differs between terminals, and some have no glyph for it.
    let texts = try texts(of: tag)
    #expect(texts.filter { $0.value.contains("\u{2026}") }.keys.sorted() == [])
  }

  @Test func `numbers take the form of their language`() throws {
    let french = Localizer(tag: "fr", texts: try texts(of: "fr"))
    #expect(french.plural("header.people", 0) == "0 personne")
    #expect(french.plural("header.people", 2) == "2 personnes")
    let chinese = Localizer(tag: "zh-Hans", texts: try texts(of: "zh-Hans"))
    #expect(chinese.plural("header.people", 1) == "1 人")
  }
}
