import Foundation
import System
import Testing

@Suite struct DirectoryNamesTests {
  @Test func `names are those in the folder, and an error says why there are none`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder.appending(path: ".hidden"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appending(path: "file"))
    #expect(try DirectoryNames.read(folder.path).sorted() == [".hidden", "file"])

    let missing = folder.path + "/none"
    #expect(DirectoryNames.all(in: missing) == [])
    #expect(throws: POSIXError(.ENOENT)) { try DirectoryNames.read(missing) }
    #expect(throws: POSIXError(.ENOTDIR)) { try DirectoryNames.read(folder.path + "/file") }
  }
}
