import Foundation
import TestSupport
import Testing

/// The table of what Natter speaks, the page and the DOAP file that are made of it, and the tests
/// that it names.
@Suite struct StandardsTests {
  private struct Row {
    let spec: String
    let suite: String
    let state: String
    let note: String
    let file: String
    let test: String
  }

  private static func rows() throws -> [Row] {
    try Checkout.text("Resources/standards.tsv").split(separator: "\n").filter { $0.first != "#" }
      .map { line in
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 7, "\(line)")
        return Row(
          spec: parts[0], suite: parts[2], state: parts[3], note: parts[4], file: parts[5],
          test: parts[6])
      }
  }

  @Test func `every row that is claimed names a test that is there`() throws {
    for row in try Self.rows() {
      guard row.state != "no" else {
        #expect(row.file.isEmpty && !row.note.isEmpty, "\(row.spec)")
        continue
      }
      let text = try Checkout.text("Tests/\(row.file)")
      #expect(text.contains("`\(row.test)`"), "\(row.spec): \(row.file)")
      #expect(row.state == "yes" || !row.note.isEmpty, "\(row.spec) in part of what?")
    }
  }

  @Test func `XEP-0479 has all its rows, and those of the core and of IM clients are there`() throws
  {
    let rows = try Self.rows()
    #expect(Set(rows.map(\.spec)).count == rows.count)
    let suites: [String: Set<String>] = [
      "core": ["RFC 6120", "RFC 7590", "XEP-0030", "XEP-0115"],
      "core-advanced": ["XEP-0368", "XEP-0163"],
      "im": [
        "RFC 6121", "XEP-0245", "XEP-0054", "XEP-0280", "XEP-0045", "XEP-0249", "XEP-0363",
      ],
      "im-advanced": [
        "XEP-0084", "XEP-0398", "XEP-0153", "XEP-0191", "XEP-0048", "XEP-0402", "XEP-0410",
        "XEP-0223", "XEP-0049", "XEP-0198", "XEP-0184", "XEP-0313", "XEP-0085", "XEP-0308",
        "XEP-0234", "XEP-0261",
      ],
    ]
    for (suite, specs) in suites {
      let own = rows.filter { $0.suite == suite }
      #expect(Set(own.map(\.spec)) == specs, "\(suite)")
      if suite != "im-advanced" { #expect(own.allSatisfy { $0.state == "yes" }, "\(suite)") }
    }
  }

  @Test
  func `what is required of IM clients beyond the core is there, but for files from hand to hand`()
    throws
  {
    let rows = try Self.rows().filter { $0.suite == "im-advanced" && $0.state != "yes" }
    #expect(Set(rows.map(\.spec)).isSubset(of: ["XEP-0308", "XEP-0153", "XEP-0234", "XEP-0261"]))
    #expect(rows.first { $0.spec == "XEP-0153" }?.state == "partial")
  }

  /// The specifications named in the client's sources that have no row: the suites, and details of
  /// other rows.
  private static let rowless: Set<String> = [
    "XEP-0479", "XEP-0068", "XEP-0231", "XEP-0264",
  ]

  @Test func `what the client's sources speak of has a row`() throws {
    let rows = Set(try Self.rows().map(\.spec))
    var spoken: Set<String> = []
    for file in try Checkout.sources.get() where !file.path.contains("/LocalServer/") {
      for line in file.lines where line.contains("XEP-") {
        spoken.formUnion(line.matches(of: /XEP-\d{4}/).map { String($0.output) })
      }
    }
    #expect(spoken.count > 50)
    #expect(spoken.subtracting(rows) == Self.rowless)
  }

  @Test func `each component has a licence and a source`() throws {
    let rows = try Checkout.text("Resources/components.tsv").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.allSatisfy { $0.count == 3 && $0[2].hasPrefix("https://") })
    let names = Set(rows.compactMap(\.first))
    #expect(names.count == rows.count)
    // The system libraries of the package, what libcurl brings along, and the data in Resources.
    #expect(
      names.isSuperset(of: [
        "Swift, Foundation", "ncurses", "SQLite", "libcurl", "OpenSSL", "Unicode data",
        "Emoji names", "Names of places", "Countries, time zones", "Cities",
      ]))
    for theme in ["Dracula", "Gruvbox", "Solarized"] { #expect(names.contains(theme)) }
  }

  @Test func `the page and the DOAP file are what the table makes`() throws {
    let folder = try TemporaryFolder("standards")
    let script = Checkout.root.appending(path: "Sources/Programs/natter/Scripts/make-standards.py")
    try #require(try Self.python(script.path, folder.root.path) == 0)
    for name in ["man/natter-xeps.7", "Resources/natter.doap"] {
      let made = try String(contentsOfFile: folder.path(name), encoding: .utf8)
      #expect(try made == Checkout.text(name), "\(name): run \(script.lastPathComponent)")
    }
  }

  @Test func `the DOAP file is XML and has each XEP once`() throws {
    let text = try Checkout.text("Resources/natter.doap")
    let path = Checkout.root.appending(path: "Resources/natter.doap").path
    let reading = "import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])"
    #expect(try Self.python("-c", reading, path) == 0)
    let named = text.matches(of: /xep-(\d{4})\.html/).map { "XEP-\($0.output.1)" }
    let claimed = try Self.rows().filter { $0.state != "no" && $0.spec.hasPrefix("XEP") }
    #expect(named == claimed.map(\.spec))
  }

  /// Runs Python, which wrote both files.
  /// - Returns: its exit code.
  private static func python(_ arguments: String...) throws -> Int32 {
    let run = Process()
    run.executableURL = URL(filePath: "/usr/bin/python3")
    // Without what lies in the current folder.
    run.arguments = ["-I"] + arguments
    try run.run()
    run.waitUntilExit()
    return run.terminationStatus
  }
}
