import XML
import XMPP

/// The cost of reading and handling one message with a text that is crafted to take long, compared
/// with one of as many plain letters.
struct WorstTextBenchmark {
  let kilobytes: Int

  private static let kinds: [(name: String, lead: String, units: [String])] = [
    ("plain letters", "", ["a"]),
    ("marks that are sorted", "a", ["\u{301}", "\u{316}"]),
    ("pictures and joiners", "", ["\u{1F469}\u{200D}"]),
    ("flags", "", ["\u{1F1E6}"]),
    ("vowels of Hangul", "", ["\u{1161}"]),
    ("conjuncts of Devanagari", "", ["\u{915}\u{94D}"]),
    ("signs before numbers", "", ["\u{600}"]),
  ]

  func run() throws {
    print("\(kilobytes) kB in one text, ms: to read it, to look it up, to walk back through it")
    for kind in Self.kinds {
      let share = kilobytes * 1000 / kind.units.count
      let text = kind.units.reduce(kind.lead) {
        $0 + String(repeating: $1, count: share / $1.utf8.count)
      }
      let parser = XMLStreamParser(stanzaLimit: 64 << 20)
      let bytes = Array(
        """
        <stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>\
        <message from='a@a.example'><body>\(text)</body></message>
        """.utf8)
      var body = ""
      let read = try milliseconds {
        for case .element(let element) in try parser.feed(bytes) {
          body = MessageStanza(element).body ?? ""
        }
      }
      let found = milliseconds { _ = Set([body, body.lowercased()]).contains(body + "x") }
      let walked = milliseconds {
        var rest = body[...]
        while rest.popLast() != nil {}
      }
      print(Table.row(kind.name, read, found, walked))
    }
  }

  private func milliseconds(_ body: () throws -> Void) rethrows -> String {
    let start = ContinuousClock.now
    try body()
    let elapsed = ContinuousClock.now - start
    return "\(elapsed / .microseconds(1000))".prefix(6).description
  }
}
