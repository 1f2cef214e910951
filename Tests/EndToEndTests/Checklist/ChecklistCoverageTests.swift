import Foundation
import TestSupport
import Testing

/// That the 40 statements of the checklist are all in the suite, and on every terminal.
@Suite struct ChecklistCoverageTests {
  @Test(.requiresEveryTerminal)
  func `every terminal of the checklist is described on this machine`() {
    #expect(TerminalDescription.all.filter { !$0.isInstalled } == [])
  }

  @Test func `each of the 40 statements is tested on each of the terminals`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    var found: Set<Int> = []
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      let text = try String(contentsOf: file, encoding: .utf8)
      for part in text.components(separatedBy: "\n  @Test").dropFirst()
      where part.contains("TerminalDescription.testable") {
        guard let title = part.firstMatch(of: #/func `([0-9, ]+): /#) else { continue }
        found.formUnion(title.1.split(separator: ",").compactMap { Int($0.filter(\.isNumber)) })
      }
    }
    #expect(found == Set(1...40))
  }
}
