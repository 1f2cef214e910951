import Foundation
import TestSupport
import NatterCore
import Testing

@testable import BridgeService

/// The tables of interface.md, "Bridge", have what the bridge has.
@Suite struct DocumentedMethodTests {
  private let page: String

  init() throws {
    page = try String(
      contentsOf: Programs.checkout.appending(path: "Resources/docs/interface.md"),
      encoding: .utf8)
  }

  /// Returns the cells of the table's rows below a heading, up to the next heading.
  private func rows(below heading: String) -> [[String]] {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("#") }
      .filter { $0.hasPrefix("| `") || $0.hasPrefix("| -") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  /// Returns the texts between grave accents.
  private func names(in cell: String) -> [String] {
    let parts = cell.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
  }

  @Test func `each method has a row, with its parameters and its right`() {
    var documented: [String: (parameters: String, permission: String)] = [:]
    for row in rows(below: "### Methods") {
      var group = ""
      for name in names(in: row[0]) {
        // `.hide` is in the group of the name before.
        if !name.hasPrefix(".") { group = String(name.prefix { $0 != "." }) }
        documented[name.hasPrefix(".") ? group + name : name] = (row[1], row.last ?? "")
      }
    }
    #expect(documented.keys.sorted() == BridgeMethod.all.map(\.name).sorted())
    for method in BridgeMethod.all {
      guard let row = documented[method.name] else { continue }
      let parameters = names(in: row.parameters)
      for parameter in method.parameters where parameter.name != "account" {
        let name = parameter.isRequired ? parameter.name : parameter.name + "?"
        #expect(parameters.contains(name), "\(method.name): \(name)")
        if case .choice(let values) = parameter.kind, parameter.name != "role",
          parameter.name != "affiliation"
        {
          #expect(values.filter { !parameters.contains($0) } == [], "\(method.name): \(name)")
        }
      }
      if let permission = method.permission {
        #expect(row.permission.contains("`\(permission.rawValue)`"), "\(method.name)")
      }
    }
  }

  @Test func `each event has a row`() {
    let documented = rows(below: "### Events").flatMap { names(in: $0[0]) }
    #expect(documented.sorted() == BridgeEvent.allCases.map(\.rawValue).sorted())
  }

  @Test func `each error has a row`() {
    let codes = rows(below: "## Bridge").compactMap { Int($0[0]) }
    #expect(codes.sorted() == BridgeError.Code.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: ["natter-script.7", "fr/natter-script.7", "zh_CN/natter-script.7"])
  func `natter-script(7) names every method, event, right and error`(page: String) throws {
    let text = try String(
      contentsOf: Programs.checkout.appending(path: "man/\(page)"), encoding: .utf8)
    // Each name has blanks around it; a list has commas of its own.
    let words = Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    let ownOfScripts = [
      "toast", "storage.get", "storage.set", "storage.delete", "storage.list", "settings.get",
      "permissions.request", "progress", "ui.status.set", "ui.pane.open",
    ]
    let requests = ["command.run", "url.open", "decorate", "pane.key", "ping", "bye"]
    let names =
      BridgeMethod.all.map(\.name) + ownOfScripts + requests + BridgeEvent.allCases.map(\.rawValue)
      + ["event.ended"] + ScriptRight.all.map(\.name)
      + BridgeError.Code.allCases.map { String($0.rawValue) }
    #expect(names.filter { !words.contains($0) } == [])
  }
}
