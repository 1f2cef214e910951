import Glibc

/// The arguments after the program's name.
enum ProgramArguments {
  /// The standard library finds them on the stack below the environment, and finds nothing if a
  /// preloaded library (libfaketime, for example) has moved that: then they are read from the
  /// kernel.
  static var words: [String] {
    let known = CommandLine.arguments
    return known.isEmpty ? words(ofCommandLine: kernels) : Array(known.dropFirst())
  }

  /// The program's name as it was typed; empty where unknown.
  static var name: String {
    CommandLine.arguments.first
      ?? kernels.split(separator: 0, omittingEmptySubsequences: false).first
      .map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The contents of `/proc/self/cmdline`.
  private static var kernels: [UInt8] {
    let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return (try? StandardStreams.readAll(from: descriptor)) ?? []
  }

  /// The environment. Foundation's access to it initializes much that nothing else here needs.
  nonisolated static var environment: [String: String] {
    var variables: [String: String] = [:]
    // Avoids growing step by step.
    variables.reserveCapacity(64)
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return variables
  }

  /// The arguments in the contents of `/proc/self/cmdline`, each terminated by a zero, without the
  /// first.
  static func words(ofCommandLine bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
