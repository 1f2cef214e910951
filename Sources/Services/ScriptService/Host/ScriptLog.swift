import BoundedText
import Diagnostics
import FoundationEssentials
import JSONLines
import Synchronization
import System

/// The lines that a script writes to its standard error: the last ones in memory, and a file.
///
/// Lines are made safe for a terminal: control and direction characters are escapes.
final class ScriptLog: Sendable {
  /// The lines that are kept, and the most characters of one.
  static let lines = 200
  static let characters = 500
  /// The most bytes of a file. There are two older ones besides.
  static let fileLimit = 256 << 10

  private struct State {
    var kept: [String] = []
    /// The index of the oldest in `kept`, once that is full.
    var oldest = 0
  }

  private let state = Mutex(State())
  private let file: LogFile
  private let name: String

  /// - Parameters:
  ///   - path: the file. Its folder is created with the first line.
  ///   - now: the time of a line.
  init(_ name: String, file path: String, now: @escaping @Sendable () -> Date) {
    self.name = name
    file = LogFile(path: path, sizeLimit: Self.fileLimit, now: now)
    folder = URL(filePath: path).deletingLastPathComponent().path
  }

  private let folder: String
  private let hasFolder = Mutex(false)

  /// The last lines, the oldest first.
  var all: [String] {
    state.withLock { Array($0.kept[$0.oldest...] + $0.kept[..<$0.oldest]) }
  }

  /// The line that was added last; `nil`: there is none.
  var last: String? {
    state.withLock { state in
      guard !state.kept.isEmpty else { return nil }
      return state.kept[(state.oldest + state.kept.count - 1) % state.kept.count]
    }
  }

  /// Adds a line of the script.
  func add(_ line: LineSplitter.Line) {
    switch line {
    case .tooLong: add("(a line longer than 1 MiB)")
    case .line(let bytes):
      // More bytes than the characters can have are not even decoded.
      add(String(decoding: bytes.prefix(16 * Self.characters), as: UTF8.self))
    }
  }

  /// Adds a line. Blank ones are left out.
  func add(_ text: String) {
    let line = Self.safe(text)
    guard !line.isEmpty else { return }
    state.withLock { state in
      guard state.kept.count == Self.lines else {
        state.kept.append(line)
        return
      }
      state.kept[state.oldest] = line
      state.oldest = (state.oldest + 1) % Self.lines
    }
    makeFolder()
    file.write(LogEntry(level: .info, category: name, message: line))
  }

  /// Returns the last lines that earlier runs of a script have written to its file; none if there
  /// is no file. It blocks.
  static func stored(of script: String, in folders: ScriptFolders, _ log: Log) -> [String] {
    guard ScriptName.isValid(script) else { return [] }
    do {
      let content = try PrivateFile.read(folders.log(of: script), limit: 2 * fileLimit) ?? Data()
      return content.split(separator: UInt8(ascii: "\n")).suffix(lines).map {
        safe(String(decoding: $0, as: UTF8.self))
      }
    } catch {
      log.warning("the log of the script \(script) could not be read: \(error)")
      return []
    }
  }

  /// Returns when all lines so far are in the file.
  func flush() async { await file.flush() }

  private func makeFolder() {
    hasFolder.withLock { hasFolder in
      if hasFolder { return }
      // Where that is not possible, the file counts its lost lines.
      hasFolder = (try? PrivateFile.makeDirectory(folder)) != nil
    }
  }

  /// Returns a text on one line that is safe in a terminal, at most `characters` long.
  static func safe(_ text: String) -> String {
    // Such are nearly all lines, of which a script may write thousands in a second.
    if text.utf8.count <= characters, text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
    var safe = ""
    for scalar in text.bounded.prefix(characters).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\t": safe += " "
      case .control where scalar == "\r": continue
      // A joiner makes one character of several, and is no direction.
      case .format where scalar == "\u{200D}": safe.unicodeScalars.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
        .privateUse:
        safe += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    // An escape has more characters than what it replaces.
    return String(safe.prefix(characters))
  }
}
