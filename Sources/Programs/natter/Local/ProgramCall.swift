import FoundationEssentials
import Glibc

/// The command that runs this program in a shell, for instructions to be typed in another terminal.
nonisolated enum ProgramCall {
  /// - Parameters:
  ///   - name: the program's name as it was typed; empty where unknown.
  ///   - executable: the program's file, without symbolic links in its path.
  ///   - searchPath: `PATH`.
  /// - Returns: `natter` if a shell finds this very program by that, else the typed name if that
  ///   works in every folder, else its file; followed by the profile.
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

  /// Returns whether a shell runs `executable` for the command `word`.
  private static func isFound(_ word: String, _ executable: URL, _ searchPath: String) -> Bool {
    guard !word.isEmpty, !word.contains("/") else { return false }
    for folder in searchPath.split(separator: ":") where folder.hasPrefix("/") {
      let file = URL(filePath: String(folder), directoryHint: .isDirectory).appending(path: word)
      guard access(file.path, X_OK) == 0 else { continue }
      return file.resolvingSymlinksInPath().path == executable.path
    }
    return false
  }

  /// `word`, quoted for a shell if necessary.
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
