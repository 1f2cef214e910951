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
}
