import Crypto
import Foundation
import NatterCore
import TestSupport
import Testing

@testable import FileService

@Suite struct ChecksumsTests {
  private let rose = [UInt8]("rose".utf8)

  private func digest(_ algorithm: FileDigest.Algorithm, _ function: HashFunction) throws
    -> FileDigest
  {
    FileDigest(algorithm, hex(try CryptoLibrary().hash(rose, by: function)))
  }

  @Test func `of several digests the strongest that the library can make is checked`() async throws
  {
    let (strong, weak) = (try digest(.blake2b512, .blake2b512), try digest(.sha256, .sha256))
    let all = Checksums(crypto: CryptoLibrary())
    #expect(all.checkable([strong, weak]) == strong)
    // As where OpenSSL is built without it, or may not use it.
    let few = Checksums(crypto: CryptoLibrary()) { $0 != .blake2b512 }
    #expect(few.checkable([strong, weak]) == weak)
    #expect(few.checkable([strong]) == nil)
    #expect(few.checkable([]) == nil)

    let folder = try TemporaryFolder("checksums")
    let path = folder.path("rose")
    try write(rose, to: path)
    for checksums in [all, few] {
      let copy = try await checksums.copy(
        SourceFile(path), to: TargetFile(path: folder.path("copy"), part: "part"),
        expecting: [strong, weak])
      #expect(copy != nil)
      let other = try await checksums.copy(
        SourceFile(path), to: TargetFile(path: folder.path("other"), part: "part"),
        expecting: [
          FileDigest(.blake2b512, strong.hexadecimal), .sha256(String(weak.hexadecimal.reversed())),
        ])
      // What the library cannot make says nothing: the next one does.
      #expect((other == nil) == (checksums.checkable([strong]) == nil))
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }
}
