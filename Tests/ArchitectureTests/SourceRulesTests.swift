import Foundation
import Testing

/// Text that no source file contains. Serialized: each rule keeps a core busy.
@Suite(.serialized) struct SourceRulesTests {
  private let sources: [SwiftFile]

  init() throws { sources = try Checkout.sources.get() }

  private func expectNone(of pattern: some RegexComponent, having words: String...) {
    #expect(sources.flatMap { $0.matches(of: pattern, having: words) } == [])
  }

  @Test func `there are no singletons and no global variables`() {
    expectNone(of: /static let shared\b/, having: "static let shared")
    // What a task carries along is no variable of the process.
    expectNone(of: /^(?!.*@TaskLocal ).*\bstatic var [^{]*$/, having: "static var ")
    expectNone(
      of:
        /^(package |private |fileprivate |internal |public )?(nonisolated(\(unsafe\))? )?var [^{]*$/,
      having: "var ")
  }

  @Test func `nothing from outside can end the program`() {
    expectNone(of: /\btry!/, having: "try!")
    expectNone(of: /\bas!/, having: "as!")
    expectNone(of: /\bfatalError\(/, having: "fatalError(")
    // A forced unwrapping: a character of a name or a bracket, then `!`, and no comparison.
    expectNone(of: /[\w)\]]!(?!=)/, having: "!")
  }

  @Test func `tasks have an owner and threads do not wait for each other`() {
    expectNone(of: /\bTask\.detached\b/, having: "Task.detached")
    expectNone(of: /\bDispatchSemaphore\b/, having: "DispatchSemaphore")
    expectNone(of: /\.sync\b/, having: ".sync")
    expectNone(of: /\b(sleep|usleep)\(\d/, having: "sleep(")
  }

  @Test func `what the compiler cannot check is confined to base modules, and explained`() {
    let base = [
      "Crypto", "Diagnostics", "HTTP", "SQLite", "Sockets", "System", "Terminal", "TerminalNcurses",
      "XML", "XMPP",
    ]
    let unchecked = /@unchecked Sendable|nonisolated\(unsafe\)/
    for file in sources {
      let marked = file.lines(having: ["@unchecked", "unsafe"])
      for index in marked where file.code[index].contains(unchecked) {
        let module = Checkout.module(of: file.path)
        #expect(base.contains(module), "\(file.location(index))")
        let before = index > 0 ? file.lines[index - 1] : ""
        let isExplained = before.contains("//") || file.lines[index].contains("//")
        #expect(isExplained, "\(file.location(index))")
      }
    }
  }

  @Test func `types are named after something`() {
    expectNone(
      of:
        /\b(class|struct|enum|actor|protocol) \w*(Manager|Helper|Utils?|Data|Info|Common|Base|Impl)\b/,
      having: "Manager", "Helper", "Util", "Data", "Info", "Common", "Base", "Impl")
  }

  @Test func `files stay small`() {
    // The parser's loop is one function's states; taken apart it would be slower and no easier.
    // The composition of the full screen is one list of who gets what. Tables made by a script are
    // as long as Unicode.
    let exceptions: Set = [
      "Sources/Base/XMPP/Addressing/CompatibilityTable.swift",
      "Sources/Base/XML/XMLMachine+Loop.swift",
      "Sources/Programs/natter/FullScreen/FullScreen.swift",
    ]
    let long = sources.filter { $0.lines.count > 401 && !exceptions.contains($0.path) }
    #expect(long.map { "\($0.path): \($0.lines.count - 1) lines" } == [])
  }

  @Test func `what other modules see says what it is`() {
    let type =
      /^(?:@\w+ )*(?:nonisolated )?package (?:nonisolated |final |indirect )*(?:class|struct|enum|actor|protocol|func|typealias)\b/
    var silent: [String] = []
    for file in sources {
      for index in file.lines(having: ["package "]) where file.code[index].contains(type) {
        let before = file.lines[..<index].last { !$0.hasPrefix("@") } ?? ""
        if !before.hasPrefix("///") { silent.append(file.location(index)) }
      }
    }
    #expect(silent == [])
  }

  @Test func `no module has a type of its own name`() throws {
    for module in try Checkout.modules.get().keys {
      for file in try Checkout.sources(of: module) {
        let words = file.lines(having: [" \(module)"]).flatMap { index in
          file.code[index].matches(of: /\b(?:class|struct|enum|actor|protocol|typealias) (\w+)/)
            .map(\.output.1)
        }
        #expect(!words.contains { $0 == module }, "\(file.path)")
      }
    }
  }
}
