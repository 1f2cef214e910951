import Foundation
import Testing

/// The pages of the repository exist where comments and other pages name them.
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

  /// The comments that name a page, each with the path of its file; the lines of one are joined.
  private func comments(below folder: String) throws -> [(path: String, text: String)] {
    var found: [(path: String, text: String)] = []
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: Checkout.root.appending(path: folder).path)
    for name in names.sorted() where name.hasSuffix(".swift") {
      let text = try Checkout.text("\(folder)/\(name)")
      // Few files name one.
      guard text.withCString({ strstr($0, ".md") != nil }) else { continue }
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
      found += comments.filter { $0.contains(".md") }.map { ("\(folder)/\(name)", $0) }
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
