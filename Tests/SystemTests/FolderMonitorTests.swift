import Foundation
import Testing

@testable import System

@Suite struct FolderMonitorTests {
  @Test func `a file that gets its last name is reported, and an invalid folder cannot be watched`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "natter-folder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let part = folder.appending(path: "a.part")
    let whole = folder.appending(path: "a")
    let watch = try #require(FolderMonitor(folder.path))
    var arrivals = watch.arrivals.makeAsyncIterator()
    for _ in 1...2 {
      try Data("text".utf8).write(to: part)
      try FileManager.default.moveItem(at: part, to: whole)
      #expect(await arrivals.next() != nil)
      try FileManager.default.removeItem(at: whole)
    }
    #expect(FolderMonitor(folder.appending(path: "nowhere").path) == nil)
  }
}
