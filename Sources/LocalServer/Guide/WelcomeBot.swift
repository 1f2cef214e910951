import XMPP

/// The contact that every newcomer finds on the built-in server: it explains Natter and answers
/// simple questions.
///
/// It knows no text of its own: what it says and which words it understands come from the language
/// files, so that it speaks the newcomer's language. `keys` lists them all.
package struct WelcomeBot: Sendable {
  /// Something it can be asked about.
  enum Topic: String, CaseIterable {
    case hello, help, who, keys, quit, second, add, account, rooms, files, data, away, thanks
  }

  /// How many messages it greets a newcomer with; the last one proposes a second account.
  private static let greetingCount = 3
  /// How the resource of a client begins that is in line mode: it has no keys, and not all of the commands.
  package static let lineModeResource = "lines-"
  /// What is said otherwise in line mode.
  private static let ownInLines: Set = [
    "greeting.2", "greeting.3", "company", "help.answer", "keys.answer", "quit.answer",
    "second.answer",
    "account.answer", "files.answer", "away.answer",
  ]

  let address: JID
  private let texts: ServerSettings.Texts
  private let program: String

  /// - Parameters:
  ///   - domain: of the server it lives on.
  ///   - program: how Natter is called in a shell.
  init(domain: String, texts: @escaping ServerSettings.Texts, program: String = "natter") {
    self.program = program
    address = JID(local: "natter", domain: domain, resource: "guide")
    self.texts = texts
  }

  /// Every key that it asks its texts for.
  package static var keys: [String] {
    ["localGuide.name", "localGuide.status", "localGuide.unknown", "localGuide.company"]
      + (1...greetingCount).map { "localGuide.greeting.\($0)" }
      + Topic.allCases.flatMap {
        ["localGuide.\($0.rawValue).words", "localGuide.\($0.rawValue).answer"]
      }
      + ownInLines.sorted().map { "localGuide.\($0).lines" }
  }

  /// Its name on contact lists.
  var name: String { texts("localGuide.name", [:]) }
  /// What its presence says.
  var status: String { texts("localGuide.status", [:]) }

  /// What it says unasked to a new account.
  /// - Parameters:
  ///   - isInLines: whether who reads it is in line mode.
  ///   - hasCompany: whether there is another account: then it proposes to make none.
  func greeting(
    for name: String, isInLines: Bool = false, hasCompany: Bool = false
  ) -> [String] {
    (1...Self.greetingCount).map {
      let isProposal = $0 == Self.greetingCount
      return say(isProposal && hasCompany ? "company" : "greeting.\($0)", to: name, isInLines)
    }
  }

  /// What it says to something typed to it.
  /// - Parameter isInLines: whether who asks is in line mode.
  func answer(to text: String, from name: String, isInLines: Bool = false) -> String {
    say(topic(of: text).map { "\($0.rawValue).answer" } ?? "unknown", to: name, isInLines)
  }

  private func say(_ key: String, to name: String, _ isInLines: Bool) -> String {
    let isOwn = isInLines && Self.ownInLines.contains(key)
    // The one to try a conversation with must be somebody else.
    return texts(
      "localGuide.\(key)" + (isOwn ? ".lines" : ""),
      ["name": name, "other": name == "bob" ? "alice" : "bob", "program": program])
  }

  /// The topic whose longest word or phrase is in `text`.
  func topic(of text: String) -> Topic? {
    let text = " " + Self.normalized(text) + " "
    var best: (topic: Topic, length: Int)?
    for topic in Topic.allCases {
      let phrases = texts("localGuide.\(topic.rawValue).words", [:]).split(separator: ",")
      for phrase in phrases.map({ Self.normalized(String($0)) }) where !phrase.isEmpty {
        // Chinese has no spaces between words, so there a phrase counts wherever it stands.
        let isSpaced = phrase.unicodeScalars.allSatisfy { $0.value < 0x2E80 }
        guard text.contains(isSpaced ? " \(phrase) " : phrase) else { continue }
        if phrase.count > best?.length ?? 0 { best = (topic, phrase.count) }
      }
    }
    return best?.topic
  }

  /// Lower case, everything that is no letter or digit a single space.
  private static func normalized(_ text: String) -> String {
    var result = ""
    for character in text.lowercased().prefix(500) {
      if character.isLetter || character.isNumber {
        result.append(character)
      } else if character == "'" || character == "’" {
        continue
      } else if result.last != " " {
        result.append(" ")
      }
    }
    while result.first == " " { result.removeFirst() }
    while result.last == " " { result.removeLast() }
    return result
  }
}
