import FoundationEssentials
import Glibc

/// How this program is called in a shell: for texts that tell what to type in another terminal.
nonisolated enum ProgramCall {
  /// - Parameters:
  ///   - name: the program's name as it was typed; empty where nobody knows.
  ///   - executable: the program's file, without links on the way to it.
  ///   - searchPath: `PATH`.
  /// - Returns: `natter` where a shell finds this very program by that, else what was typed where that leads to it from every
  ///   folder, else its file; with the profile behind it.
  static func text(name: String, executable: URL, searchPath: String, profile: String?) -> String {
    let isPrintable = Self.isPrintable(name)
    // The other terminal is in another folder.
    var program = isPrintable && name.hasPrefix("/") ? name : executable.path
    if !Self.isPrintable(program) { program = "natter" }
    for word in ["natter", name] where isPrintable && isFound(word, executable, searchPath) {
      program = word
      break
    }
    return quoted(program) + (profile.map { " --profile " + quoted($0) } ?? "")
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Whether a shell runs `executable` when `word` is typed.
  private static func isFound(_ word: String, _ executable: URL, _ searchPath: String) -> Bool {
    guard !word.isEmpty, !word.contains("/") else { return false }
    for folder in searchPath.split(separator: ":") where folder.hasPrefix("/") {
      let file = URL(filePath: String(folder), directoryHint: .isDirectory).appending(path: word)
      guard access(file.path, X_OK) == 0 else { continue }
      return file.resolvingSymlinksInPath().path == executable.path
    }
    return false
  }

  /// `word` as a shell takes it for one word.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/._-+@%:,".utf8.contains(byte)
        }
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
