import Foundation
import FuzzTargets
import Testing

/// The inputs that are kept: those that once ended the program, and those from which the fuzzer
/// begins (`.ci/fuzz`).
@Suite struct FuzzCorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz")

  private static func inputs(_ kind: String, of target: FuzzTarget) throws -> [URL] {
    let folder = folder.appending(path: kind).appending(path: target.rawValue)
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  /// One after the other: the targets that read files have one folder for all.
  @Test func `no input that is kept ends the program or breaks what always holds`() async throws {
    for target in FuzzTarget.allCases {
      for kind in ["Crashes", "Corpus"] {
        for file in try Self.inputs(kind, of: target) {
          let bytes = try Array(Data(contentsOf: file))
          await #expect(throws: Never.self, "\(target.rawValue)/\(file.lastPathComponent)") {
            try await target.run(bytes)
          }
        }
      }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `each target has inputs to begin from`(_ target: FuzzTarget) throws {
    #expect(try !Self.inputs("Corpus", of: target).isEmpty)
  }

  @Test func `the inputs are small`() throws {
    var total = 0
    for target in FuzzTarget.allCases {
      for kind in ["Crashes", "Corpus"] {
        for file in try Self.inputs(kind, of: target) {
          total += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
      }
    }
    #expect(total < 1 << 20)
  }
}
