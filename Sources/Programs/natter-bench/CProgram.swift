import Foundation

/// A minimal program in C with ncurses, for comparison with Natter.
enum CProgram {
  /// - Returns: the program's path, `program`'s.
  static func compile(_ text: String, to program: URL) throws -> String {
    let source = program.appendingPathExtension("c")
    try text.write(to: source, atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/cc")
    compiler.arguments = ["-O2", "-o", program.path, source.path, "-lncursesw"]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else {
      throw TimedProcess.Failure(description: "cc could not compile \(source.path)")
    }
    return program.path
  }
}
