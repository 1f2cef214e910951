import Foundation

/// A command without a terminal, run to its end: what it printed and how it ended.
package struct CommandRun: Sendable {
  package let status: ExitStatus
  package let output: [UInt8]
  package let errors: [UInt8]

  /// Standard output as text.
  package var text: String { String(decoding: output, as: UTF8.self) }
  /// Standard error as text.
  package var errorText: String { String(decoding: errors, as: UTF8.self) }

  /// The output of a command that failed.
  package struct Failure: Error, CustomStringConvertible {
    package let command: String
    package let run: CommandRun
    package var description: String {
      "\(command): \(run.status)\n\(run.text)\n\(run.errorText)"
    }
  }

  /// A command that had not ended in time; it was killed.
  package struct TimedOut: Error, CustomStringConvertible {
    package let command: String
    package let limit: Duration
    package var description: String { "\(command): still running after \(limit)" }
  }

  /// Runs `program` with exactly this environment.
  /// - Parameters:
  ///   - input: what it reads from standard input, then end of file.
  ///   - limit: after which it is killed.
  /// - Throws: `ChildProcess.StartError`, `Programs.Missing`, `TimedOut`.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String],
    directory: String? = nil, input: String = "", upTo limit: Duration = .seconds(60)
  ) async throws {
    let folder = try TemporaryFolder("run")
    defer { folder.remove() }
    // Files instead of pipes, which would have to be read while it runs.
    try folder.write(input, to: "input")
    let opened = [
      open(folder.path("input"), O_RDONLY | O_CLOEXEC),
      open(folder.path("output"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
      open(folder.path("errors"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
    ]
    defer { for descriptor in opened { close(descriptor) } }
    let child = try ChildProcess(
      program, arguments, environment: environment, directory: directory,
      descriptors: (opened[0], opened[1], opened[2]))
    let command = ([program] + arguments).joined(separator: " ")
    guard let status = await child.waitsForEnd(upTo: limit) else {
      child.release()
      await child.waitsForEnd()
      throw TimedOut(command: command, limit: limit)
    }
    self.status = status
    output = [UInt8](try Data(contentsOf: folder.url("output")))
    errors = [UInt8](try Data(contentsOf: folder.url("errors")))
  }

  /// Runs `program`, and throws where it does not exit with 0.
  /// - Throws: `Failure`, and what `init` throws.
  @discardableResult
  package static func check(
    _ program: String, _ arguments: [String], directory: String? = nil,
    environment: [String: String] = [:], input: String = "", upTo limit: Duration = .seconds(60)
  ) async throws -> CommandRun {
    let all = ["PATH": Programs.searchPath, "LANG": "C.UTF-8", "HOME": "/nonexistent"]
      .merging(environment) { $1 }
    let run = try await CommandRun(
      program, arguments, environment: all, directory: directory, input: input, upTo: limit)
    guard run.status == .exited(0) else {
      throw Failure(command: ([program] + arguments).joined(separator: " "), run: run)
    }
    return run
  }
}
