import Testing

@testable import LocalServer

@Suite struct WelcomeBotTests {
  let guide: WelcomeBot
  let texts: [String: String]

  init() throws {
    let texts = try EnglishTexts.load().filter { $0.key.hasPrefix("localGuide.") }
    self.texts = texts
    guide = WelcomeBot(
      domain: "localhost", texts: EnglishTexts.lookup(in: texts), program: "./natter --profile work"
    )
  }

  @Test func `the text file has exactly the keys that are asked for`() {
    #expect(Set(texts.keys) == Set(WelcomeBot.keys))
    #expect(WelcomeBot.keys.count == Set(WelcomeBot.keys).count)
  }

  @Test func `placeholders are the three that are filled`() {
    for (key, text) in texts {
      for match in text.matches(of: /\{([^}]*)\}/) {
        #expect(["name", "other", "program"].contains(String(match.1)), "\(key)")
      }
    }
  }

  @Test func `it greets with the keys and the way to a second account`() {
    let greeting = guide.greeting(for: "alice")
    #expect(greeting.count == 3)
    #expect(greeting[0].contains("alice"))
    #expect(greeting[1].contains("F1") && greeting[1].contains("Ctrl+Q"))
    // The command has a line of its own: it can be copied as it is.
    #expect(
      greeting[2].split(separator: "\n").dropFirst().first
        == "./natter --profile work --local --account bob")
  }

  @Test(arguments: [false, true])
  func `where there is another account, it proposes none`(isInLines: Bool) {
    let greeting = guide.greeting(for: "bob", isInLines: isInLines, hasCompany: true)
    #expect(greeting.count == 3 && greeting[2].contains("on your contact list"))
    #expect(!greeting[2].contains("--account"))
  }

  @Test(arguments: ["second account", "data", "quit", "sign in"])
  func `it names the program as it is called here`(question: String) {
    for isInLines in [false, true] {
      let answer = guide.answer(to: question, from: "alice", isInLines: isInLines)
      #expect(answer.contains("./natter --profile work "), "\(answer)")
    }
  }

  @Test func `to line mode it names no key, and no command that line mode lacks`() {
    let said =
      guide.greeting(for: "alice", isInLines: true)
      + WelcomeBot.Topic.allCases.map { topic in
        let word = texts["localGuide.\(topic.rawValue).words"]?.prefix { $0 != "," } ?? ""
        return guide.answer(to: String(word), from: "alice", isInLines: true)
      }
    #expect(said.count == 16 && Set(said).count == said.count)
    let commands = [
      "/help", "/chat", "/add", "/quit", "/upload", "/open", "/save", "/away", "/dnd", "/back",
    ]
    for text in said {
      for key in ["F1", "F5", "Ctrl", "Alt", "Page Up", "Tab"] {
        #expect(!text.contains(key), "\(text)")
      }
      for match in text.matches(of: /(?:^|\s)(\/[a-z]+)/) {
        #expect(commands.contains(String(match.1)), "\(text)")
      }
    }
    #expect(said[1].contains("/help"))
    #expect(said[2].contains("--local --plain --account bob"))
  }

  @Test func `it never proposes the account that asks`() {
    #expect(guide.answer(to: "second account", from: "bob").contains("--account alice"))
  }

  @Test(arguments: [
    ("help", "help"), ("HELP!!", "help"), ("can you help me?", "help"), ("keys", "keys"),
    ("what are the keyboard shortcuts?", "keys"), ("hello", "hello"), ("Hi there :)", "hello"),
    ("who are you?", "who"), ("quit", "quit"), ("how do I quit", "quit"),
    ("how do i get a second account?", "second"), ("are there rooms", "rooms"),
    ("group chat?", "rooms"), ("can I send a file", "files"), ("thank you", "thanks"),
    ("where is my data stored", "data"), ("how do I add a contact", "add"),
    ("/status away", "away"),
    ("I want to use my real account", "account"),
  ]) func `it understands simple questions`(_ text: String, _ topic: String) {
    #expect(guide.topic(of: text)?.rawValue == topic)
  }

  @Test(arguments: ["", "   ", "?!", "xyzzy", "helpless", "monkeys", "\u{202E}", "🦊"])
  func `what it does not understand gets the default`(_ text: String) {
    #expect(guide.topic(of: text) == nil)
    #expect(guide.answer(to: text, from: "alice") == texts["localGuide.unknown"])
  }

  @Test func `a word without spaces around it counts where the script has none`() {
    let guide = WelcomeBot(domain: "localhost") { key, _ in
      key == "localGuide.keys.words" ? "按键, 快捷键" : ""
    }
    #expect(guide.topic(of: "有哪些快捷键？") == .keys)
  }

  @Test func `a very long question is answered as quickly as a short one`() {
    #expect(guide.topic(of: String(repeating: "x", count: 1_000_000) + " help") == nil)
  }
}
