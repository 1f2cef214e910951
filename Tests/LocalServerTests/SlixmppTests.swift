import Foundation
import Testing

@testable import LocalServer

/// A client library that nobody here wrote, against the server.
@Suite struct SlixmppTests {
  /// Runs a program to its end.
  private static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    let (ends, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { end.yield($0.terminationStatus) }
    try process.run()
    // The output is a page at most: it fits into the pipe.
    for await status in ends {
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      return (status, String(decoding: output, as: UTF8.self))
    }
    return (-1, "")
  }

  private static let isRequired =
    ProcessInfo.processInfo.environment["NATTER_REQUIRE_SERVERS"] == "1"

  /// A Python that has slixmpp.
  private static func interpreter() async -> String? {
    for candidate in ["python3", "/usr/bin/python3"] {
      // A missing interpreter is one without slixmpp.
      if let result = try? await run([candidate, "-c", "import slixmpp"]), result.status == 0 {
        return candidate
      }
    }
    return nil
  }

  @Test(arguments: ["conversation", "extensions"])
  func `slixmpp clients use all that the server offers`(_ script: String) async throws {
    guard let python = await Self.interpreter() else {
      if Self.isRequired {
        Issue.record("slixmpp is not installed (python3-slixmpp)")
        return
      }
      try Test.cancel("slixmpp is not installed (python3-slixmpp)")
    }
    try await withServer { server in
      let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/\(script).py").path
      let result = try await Self.run([
        python, "-B", "-W", "ignore", script, String(server.state.port),
      ])
      #expect(result.status == 0 && result.output.contains("all done"), "\(result.output)")
    }
  }
}
