import XMPP

/// The contact in the roster of every new account of the built-in server. It explains Natter and
/// answers simple questions.
///
/// Its answers and the terms that it understands come from the language files, so that it speaks
/// the user's language. `keys` lists all of their keys.
package struct WelcomeBot: Sendable {
  /// A subject of questions.
  enum Topic: String, CaseIterable {
    case hello, help, who, keys, quit, second, add, account, rooms, files, data, away, thanks
  }

  /// The number of messages in the greeting of a new account; the last one suggests a second
  /// account.
  private static let greetingCount = 3
  /// The prefix of the resource of a client in line mode, which has no keys and only some of the
  /// commands.
  package static let lineModeResource = "lines-"
  /// The texts that have a variant for line mode.
  private static let ownInLines: Set = [
    "greeting.2", "greeting.3", "company", "help.answer", "keys.answer", "quit.answer",
    "second.answer",
    "account.answer", "files.answer", "away.answer",
  ]

  let address: JID
  private let texts: ServerSettings.Texts
  private let program: String

  /// - Parameters:
  ///   - domain: the domain of the server.
  ///   - program: the shell command of Natter.
  init(domain: String, texts: @escaping ServerSettings.Texts, program: String = "natter") {
    self.program = program
    address = JID(local: "natter", domain: domain, resource: "guide")
    self.texts = texts
  }

  /// Every key that the guide looks up in the texts.
  package static var keys: [String] {
    ["localGuide.name", "localGuide.status", "localGuide.unknown", "localGuide.company"]
      + (1...greetingCount).map { "localGuide.greeting.\($0)" }
      + Topic.allCases.flatMap {
        ["localGuide.\($0.rawValue).words", "localGuide.\($0.rawValue).answer"]
      }
      + ownInLines.sorted().map { "localGuide.\($0).lines" }
  }

  /// Its name in rosters.
  var name: String { texts("localGuide.name", [:]) }
  /// The status text of its presence.
  var status: String { texts("localGuide.status", [:]) }

  /// Returns the messages that it sends to a new account.
  /// - Parameters:
  ///   - isInLines: whether the user's client is in line mode.
  ///   - hasCompany: whether there is another account; the last message then does not suggest to
  ///     create one.
  func greeting(
    for name: String, isInLines: Bool = false, hasCompany: Bool = false
  ) -> [String] {
    (1...Self.greetingCount).map {
      let isProposal = $0 == Self.greetingCount
      return say(isProposal && hasCompany ? "company" : "greeting.\($0)", to: name, isInLines)
    }
  }

  /// Returns the answer to a message from the user.
  /// - Parameter isInLines: whether the user's client is in line mode.
  func answer(to text: String, from name: String, isInLines: Bool = false) -> String {
    say(topic(of: text).map { "\($0.rawValue).answer" } ?? "unknown", to: name, isInLines)
  }

  private func say(_ key: String, to name: String, _ isInLines: Bool) -> String {
    let isOwn = isInLines && Self.ownInLines.contains(key)
    // The suggested account for trying a conversation must not be the user's own.
    return texts(
      "localGuide.\(key)" + (isOwn ? ".lines" : ""),
      ["name": name, "other": name == "bob" ? "alice" : "bob", "program": program])
  }

  /// Returns the topic whose word or phrase in `text` is the longest.
  func topic(of text: String) -> Topic? {
    let text = " " + Self.normalized(text) + " "
    var best: (topic: Topic, length: Int)?
    for topic in Topic.allCases {
      let phrases = texts("localGuide.\(topic.rawValue).words", [:]).split(separator: ",")
      for phrase in phrases.map({ Self.normalized(String($0)) }) where !phrase.isEmpty {
        // Chinese has no spaces between words, so there a phrase matches anywhere in the text.
        let isSpaced = phrase.unicodeScalars.allSatisfy { $0.value < 0x2E80 }
        guard text.contains(isSpaced ? " \(phrase) " : phrase) else { continue }
        if phrase.count > best?.length ?? 0 { best = (topic, phrase.count) }
      }
    }
    return best?.topic
  }

  /// Returns the text in lower case, with a single space for each run of other characters than
  /// letters and digits. Reads 500 characters at most.
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
