import Crypto
import Foundation
import NatterCore
import TestSupport
import Testing

@testable import natter

@MainActor @Suite struct UserFilesTests {
  private func failure(_ script: String) async throws -> NatterError? {
    let folder = try TemporaryFolder("desk")
    // Not started itself: what another test starts meanwhile may have it open for writing yet, and
    // then nobody can (ETXTBSY).
    try folder.write(script + "\n", to: "show")
    let userFiles = UserFiles(
      environment: [:], folder: nil, opener: ["/bin/sh", folder.path("show")],
      thumbnails: folder.root, crypto: CryptoLibrary())
    let reported = Observed<NatterError?>(nil)
    try userFiles.open("/tmp/rose.png") { error in reported.update { $0 = error } }
    #expect(await reported.waits(upTo: .seconds(60)) { $0 != nil })
    return reported.value
  }

  @Test func `a program that cannot show a file is reported with its first line`() async throws {
    let error = try await failure(
      "echo; echo 'no \u{1B}[31mdisplay' >&2; echo more >&2; exit 3")
    #expect(error?.key == "error.files.openerFailed")
    #expect(error?.arguments["status"] == "3")
    #expect(error?.arguments["words"] == "no \u{1B}[31mdisplay")
    #expect(error?.arguments["path"] == "/tmp/rose.png")
  }

  @Test func `a file whose name is no UTF-8 is given as it is called on the disk`() async throws {
    let folder = try TemporaryFolder("desk")
    try folder.write("cat \"$2\" > \"$1.new\"; mv \"$1.new\" \"$1\"\n", to: "show")
    let name = Array(folder.root.path.utf8) + Array("/r".utf8) + [0xF6] + Array("se.txt".utf8)
    let descriptor = Foundation.open(
      name.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0 && write(descriptor, "rose", 4) == 4)
    close(descriptor)
    let userFiles = UserFiles(
      environment: [:], folder: nil, opener: ["/bin/sh", folder.path("show"), folder.path("seen")],
      thumbnails: folder.root, crypto: CryptoLibrary())
    try userFiles.open(folder.path("r\u{FFFD}se.txt")) { _ in }
    try await until {
      (try? String(contentsOfFile: folder.path("seen"), encoding: .utf8)) == "rose"
    }
    // It is undecided which of the two is meant.
    let other = Array(folder.root.path.utf8) + Array("/r".utf8) + [0xE4] + Array("se.txt".utf8)
    close(
      Foundation.open(
        other.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    #expect(throws: NatterError.self) {
      try userFiles.open(folder.path("r\u{FFFD}se.txt")) { _ in }
    }
  }

  @Test func `one that says nothing is reported by its status`() async throws {
    let error = try await failure("exit 1")
    #expect(error?.key == "error.files.openerSilent")
    #expect(error?.arguments["status"] == "1")
  }
}
