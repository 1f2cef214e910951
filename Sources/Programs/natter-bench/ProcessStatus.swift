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

  /// Returns how often each thread of a process has gone to sleep by itself, by thread.
  static func sleeps(of process: pid_t) -> [String: Int] {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.reduce(into: [:]) { counts, thread in
      // A thread that has just ended has no file.
      counts[thread] = try? number("voluntary_ctxt_switches", in: "\(folder)/\(thread)")
    }
  }

  /// Returns how often threads went to sleep between two results of `sleeps`.
  static func wakes(from before: [String: Int], to after: [String: Int]) -> Int {
    after.reduce(0) { $0 + $1.value - before[$1.key, default: 0] }
  }
}
