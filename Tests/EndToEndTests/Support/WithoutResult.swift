import Foundation
import TestSupport

/// A condition that did not come to hold, with the ends of the program's logs: the screen alone
/// does not say why.
struct WithoutResult: Error, CustomStringConvertible {
  let failure: PTYProcess.NeverCame
  let logs: String

  var description: String { "\(failure)\n\(logs)" }

  private static let lineLimit = 60

  /// Runs `wait`.
  /// - Throws: `WithoutResult` instead of `PTYProcess.NeverCame`.
  static func explained(by home: Home, _ wait: () async throws -> Void) async throws {
    do { try await wait() } catch let failure as PTYProcess.NeverCame {
      throw WithoutResult(failure: failure, logs: logs(of: home))
    }
  }

  private static func logs(of home: Home) -> String {
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: home.state.path)) ?? []
    return files.filter { $0.hasSuffix(".log") }.sorted().map { name in
      let data = FileManager.default.contents(atPath: home.state.appending(path: name).path)
      let lines = String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n")
      return "\(name):\n" + lines.suffix(lineLimit).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
