import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ScriptService

/// The table of interface.md, "Base methods", has what scripts can call without a right.
@Suite struct DocumentedScriptMethodTests {
  @Test func `each method has a row, with its parameters`() throws {
    let page = try String(
      contentsOf: Programs.checkout.appending(path: "Resources/docs/interface.md"),
      encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let rows = lines.drop { $0 != "### Base methods" }.dropFirst().prefix { !$0.hasPrefix("#") }
      .filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|") }
    /// Returns the texts between grave accents.
    func names(in cell: Substring) -> [String] {
      let parts = cell.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
      return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
    }
    #expect(rows.flatMap { names(in: $0[0]) }.sorted() == ScriptMethod.all.keys.sorted())
    for row in rows {
      let parameters = names(in: row[1])
      for method in names(in: row[0]).compactMap({ ScriptMethod.all[$0] }) {
        for parameter in method.parameters {
          let name = parameter.isRequired ? parameter.name : parameter.name + "?"
          #expect(parameters.contains(name), "\(method.name): \(name)")
          if case .choice(let values) = parameter.kind {
            #expect(Set(values).isSubset(of: parameters), "\(method.name): \(name)")
          }
        }
      }
    }
  }
}
