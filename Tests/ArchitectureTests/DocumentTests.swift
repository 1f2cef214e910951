import Foundation
import Testing

/// The pages of the repository exist where comments and other pages name them, and what the pages
/// name exists in the sources.
///
/// A comment names a page of `Resources/docs` by its file name, any other page by its path, and
/// then the heading: flows.md, "Sending".
@Suite struct DocumentTests {
  @Test(arguments: ["Sources", "Tests"])
  func `every page and heading that a comment names exists`(folder: String) throws {
    let reference = #/(?<page>[\w/-]+\.md)(?<headings>(?:(?:,| and) "[^"]+")*)/#
    var count = 0
    var missing: [String] = []
    for (path, comment) in try comments(below: folder) {
      for match in comment.matches(of: reference) {
        count += 1
        let headings = match.output.headings.matches(of: #/"([^"]+)"/#).map {
          String($0.output.1)
        }
        let known = Self.headings(of: String(match.output.page))
        if known == nil || !Set(headings).isSubset(of: known ?? []) {
          missing.append("\(path): \(match.output.0)")
        }
      }
    }
    #expect(count > 20, "comments name pages in another way than this test reads")
    #expect(missing == [])
  }

  @Test(arguments: try Checkout.names(in: "Resources/docs").filter { $0.hasSuffix(".md") })
  func `every link of a page leads to a file of the repository`(page: String) throws {
    let link = #/\]\((?<target>[^)\s]+)\)/#
    let folder = Checkout.root.appending(path: "Resources/docs")
    var missing: [String] = []
    for match in try Checkout.text("Resources/docs/\(page)").matches(of: link) {
      let target = match.output.target.prefix { $0 != "#" }
      // Without a file name, it is a heading of the same page.
      if target.isEmpty || target.contains("://") { continue }
      let file = folder.appending(path: String(target)).standardizedFileURL
      if !FileManager.default.fileExists(atPath: file.path) { missing.append(String(target)) }
    }
    #expect(missing == [])
  }

  @Test(arguments: try Checkout.names(in: "Resources/docs").filter { $0.hasSuffix(".md") })
  func `every path and type that a page names exists`(page: String) throws {
    let known = try Self.knownNames.get()
    var missing: [String] = []
    for name in Self.spans(of: try Checkout.text("Resources/docs/\(page)")) {
      if name.hasPrefix("Sources/") || name.hasPrefix("Tests/") {
        if !Self.exists(name) { missing.append(name) }
      } else if let match = name.wholeMatch(of: #/(?<head>[A-Z]\w*)(?:[.+(].*)?/#),
        // Others are variables of the environment, keys and placeholders.
        match.output.head.contains(where: \.isLowercase)
      {
        // `RoomState+Voice` is a file; of `Outbox.send` only the type is looked for.
        let isFile = name.contains("+") || name.hasSuffix(".swift")
        let file = name.hasSuffix(".swift") ? name : name + ".swift"
        if !known.contains(isFile ? file : String(match.output.head)) { missing.append(name) }
      }
    }
    #expect(missing == [])
  }

  @Test func `every test that a recipe names exists`() throws {
    let tests = try Checkout.testNames.get()
    var named: [String] = []
    for line in try Checkout.text("Resources/docs/recipes.md").split(separator: "\n")
    where line.contains(#/^\| `\w+Tests` \|/#) {
      named += Self.spans(of: String(line)).dropFirst()
    }
    #expect(named.count > 20, "recipes name tests in another way than this test reads")
    #expect(named.filter { !tests.contains($0) } == [])
  }

  /// The code spans of a page: what is between grave accents, without fenced code.
  private static func spans(of page: String) -> [String] {
    var spans: [String] = []
    for (index, part) in page.components(separatedBy: "\n```").enumerated() where index % 2 == 0 {
      for line in part.split(separator: "\n") {
        let pieces = line.components(separatedBy: "`")
        spans += pieces.indices.filter { $0 % 2 == 1 }.map { pieces[$0] }
      }
    }
    return spans
  }

  /// Indicates whether the file or folder at `path` exists; a part with a placeholder, and
  /// everything behind it, may be anything.
  private static func exists(_ path: String) -> Bool {
    let placeholders = ["*", "NAME", "TAG", "XTests", "nnnn", "-N."]
    var file = Checkout.root
    for part in path.split(separator: "/").map(String.init) {
      if placeholders.contains(where: { part.contains($0) }) { break }
      file.append(path: part)
    }
    return FileManager.default.fileExists(atPath: file.path)
  }

  /// The types of the sources and the tests, the names of files and folders, and what else pages
  /// name: types of libraries, headers of HTTP, keys.
  private static let knownNames = Result {
    var names: Set<String> = [
      "Alt+A.swift", "Authorization", "Character", "DispatchQueue", "Expect", "NAMEFactory.swift",
      "Natt", "PgUp", "Task", "Up",
    ]
    names.formUnion(try Checkout.names(in: ""))
    for folder in ["Sources", "Tests"] {
      let paths = try FileManager.default.subpathsOfDirectory(
        atPath: Checkout.root.appending(path: folder).path)
      for path in paths {
        names.insert(path.split(separator: "/").last.map(String.init) ?? path)
      }
    }
    let keywords = ["struct ", "class ", "enum ", "actor ", "protocol ", "typealias "]
    for file in try Checkout.texts.get() {
      for line in file.text.utf8.split(separator: UInt8(ascii: "\n")).map({ String($0) ?? "" })
      where line.has(keywords) {
        for keyword in keywords {
          for rest in line.components(separatedBy: keyword).dropFirst() {
            names.insert(String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
          }
        }
      }
    }
    return names
  }

  /// The comments that name a page, each with the path of its file; the lines of one are joined.
  private func comments(below folder: String) throws -> [(path: String, text: String)] {
    var found: [(path: String, text: String)] = []
    // Few files name one.
    for (path, text) in try Checkout.texts(below: folder) where text.has([".md"]) {
      var comments: [String] = []
      var isInside = false
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let line = line.drop { $0 == " " }
        guard line.hasPrefix("//") else {
          isInside = false
          continue
        }
        let comment = String(line.drop { $0 == "/" })
        if isInside {
          comments[comments.count - 1] += comment
        } else {
          comments.append(comment)
        }
        isInside = true
      }
      found += comments.filter { $0.contains(".md") }.map { (path, $0) }
    }
    return found
  }

  /// The headings of a page; `nil` where there is no such page.
  private static func headings(of page: String) -> Set<String>? {
    let text = (try? Checkout.text("Resources/docs/\(page)")) ?? (try? Checkout.text(page))
    return text.map { text in
      Set(
        text.split(separator: "\n").filter { $0.hasPrefix("#") }
          .map { String($0.drop { $0 == "#" || $0 == " " }) })
    }
  }
}
