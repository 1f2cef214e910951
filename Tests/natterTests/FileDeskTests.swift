import Crypto
import Foundation
import NatterCore
import TestSupport
import Testing

@testable import natter

@MainActor @Suite struct FileDeskTests {
  private func failure(_ script: String) async throws -> NatterError? {
    let folder = try TemporaryFolder("desk")
    try folder.write("#!/bin/sh\n" + script + "\n", to: "show")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.path("show"))
    let desk = FileDesk(
      environment: [:], folder: nil, opener: [folder.path("show")],
      thumbnails: folder.root, crypto: CryptoLibrary())
    let told = Observed<NatterError?>(nil)
    try desk.open("/tmp/rose.png") { error in told.update { $0 = error } }
    #expect(await told.waits(upTo: .seconds(60)) { $0 != nil })
    return told.value
  }

  @Test func `a program that cannot show a file is told with its first words`() async throws {
    let error = try await failure(
      "echo; echo 'no \u{1B}[31mdisplay' >&2; echo more >&2; exit 3")
    #expect(error?.key == "error.files.openerFailed")
    #expect(error?.arguments["status"] == "3")
    #expect(error?.arguments["words"] == "no \u{1B}[31mdisplay")
    #expect(error?.arguments["path"] == "/tmp/rose.png")
  }

  @Test func `one that says nothing is told by its status`() async throws {
    let error = try await failure("exit 1")
    #expect(error?.key == "error.files.openerSilent")
    #expect(error?.arguments["status"] == "1")
  }
}
