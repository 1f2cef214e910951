import Foundation
import Glibc
import TestSupport
import Testing

@testable import natter

@MainActor @Suite struct StandardStreamsTests {
  /// Opens a file of a text and many zeros after it.
  private func withFile(_ text: String, zeros: Int, _ body: (CInt) throws -> Void) throws {
    let folder = try TemporaryFolder("streams")
    defer { folder.remove() }
    try folder.write(text, to: "file")
    try #require(truncate(folder.path("file"), off_t(text.utf8.count + zeros)) == 0)
    let descriptor = open(folder.path("file"), O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try body(descriptor)
  }

  @Test func `of a file without an end, only the beginning is read for its first line`() throws {
    try withFile("secret\n", zeros: 1 << 40) { descriptor in
      let line = try StandardStreams.firstLine(of: descriptor)
      #expect(line == "secret")
      #expect(lseek(descriptor, 0, SEEK_CUR) < 1 << 20)
    }
    try withFile("", zeros: 1 << 40) { descriptor in
      #expect(throws: POSIXError(.EILSEQ)) { try StandardStreams.firstLine(of: descriptor) }
    }
  }
}
