import NatterCore
import Testing

/// The names of files without their folders.
@Suite struct FolderlessNameTests {
  @Test(arguments: [
    ("/home/alice/a b.txt", "a b.txt"), ("log", "log"), ("~/logs/", "logs"), ("//a//b//", "b"),
    ("/", "/"), ("", ""), ("/mnt/\u{301}x", "\u{301}x"),
  ])
  func `a name is what follows the last folder, by bytes`(path: String, name: String) {
    #expect(path.folderless.utf8.elementsEqual(name.utf8))
  }
}
