import Foundation

/// The words after the program's name.
enum ProgramArguments {
  /// The standard library finds them on the stack below the environment, and finds nothing where a preloaded library
  /// (libfaketime, say) has moved that: then the kernel is asked.
  static var words: [String] {
    let known = CommandLine.arguments
    if !known.isEmpty { return Array(known.dropFirst()) }
    guard let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"),
      let data = try? file.readToEnd()
    else { return [] }
    return words(ofCommandLine: data)
  }

  /// What `/proc/self/cmdline` holds, each word ended by a zero, without the first.
  static func words(ofCommandLine data: Data) -> [String] {
    data.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
