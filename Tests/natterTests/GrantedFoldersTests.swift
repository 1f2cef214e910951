import Foundation
import TestSupport
import Testing

@testable import natter

@Suite struct GrantedFoldersTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("granted")
    for name in ["mine/inner", "other", "closed"] { try folder.makeFolder(name) }
  }

  @Test func `a folder that the script could replace by a link gets no rule`() throws {
    let mine = folder.path("mine")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("mine/link"), withDestinationPath: folder.path("closed"))
    let paths = ["mine/link", "mine/inner", "mine/link/deeper", "other"].map(folder.path)
    #expect(GrantedFolders.rules(for: paths, below: [mine]) == [folder.path("other")])
  }

  @Test func `another name of the folder is the same folder`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("alias"), withDestinationPath: folder.path("mine"))
    #expect(
      GrantedFolders.rules(for: [folder.path("alias/inner")], below: [folder.path("mine")]) == [])
    #expect(
      GrantedFolders.rules(for: [folder.path("mine/inner")], below: [folder.path("alias")]) == [])
  }

  @Test func `a writable folder keeps its own rule, and names that begin alike are others`() throws
  {
    try folder.makeFolder("mine2")
    let paths = ["mine", "mine2"].map(folder.path)
    #expect(GrantedFolders.rules(for: paths, below: [paths[0]]) == paths)
  }

  @Test func `names that begin with a combining mark are in the folder all the same`() {
    let (mine, path) = (folder.path("mine"), folder.path("mine") + "/\u{301}x")
    #expect(GrantedFolders.rules(for: [path], below: [mine]) == [])
    #expect(GrantedFolders.overlaps(path, with: [mine]))
    #expect(GrantedFolders.overlaps(mine, with: [path]))
  }

  @Test func `the root is above every folder, and a folder beside another is not`() {
    #expect(GrantedFolders.overlaps("/", with: [folder.path("mine")]))
    #expect(!GrantedFolders.overlaps(folder.path("other"), with: [folder.path("mine")]))
  }
}
