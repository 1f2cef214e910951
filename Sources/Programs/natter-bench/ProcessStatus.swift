import Foundation

/// The file `status` of a process or a thread (proc_pid_status(5)).
enum ProcessStatus {
  /// Returns the number in a line; 0 if there is none, as of the memory of an ended process.
  /// - Parameter folder: the folder with the file, below `/proc`.
  /// - Throws: an error when the process or thread does not exist.
  static func number(_ name: String, in folder: String) throws -> Int {
    let text = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
