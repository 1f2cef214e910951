/// A command that prints what is stored, with its options (natter(1), "Shell commands").
struct ReadingRequest: Equatable {
  /// The data that a command prints.
  enum Subject: Equatable {
    case unread
    case history(String)
    case contacts
    case rooms
    case search(String)
  }

  let subject: Subject
  var isJSON = false
  /// `--total`: prints one number instead of a line for each conversation.
  var isTotal = false
  var since: GivenTime?
  var until: GivenTime?
  /// The most messages; 0: all.
  var limit = 50
  /// `--fetch`: requests what is missing from the server first.
  var fetches = false
  /// `--in`: the address of the only conversation to search.
  var conversation: String?

  init(_ subject: Subject) { self.subject = subject }

  init(_ subject: Subject, _ given: GivenOptions) {
    self.init(subject)
    isJSON = given.has("--json")
    isTotal = given.has("--total")
    since = given.time("--since")
    until = given.time("--until")
    limit = given.number("--limit") ?? limit
    fetches = given.has("--fetch")
    conversation = given["--in"]
  }

  /// The names of the commands.
  static let commands = ["unread", "history", "search", "contacts", "rooms"]
}
