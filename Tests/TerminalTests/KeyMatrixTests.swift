import Foundation
import Testing

@testable import Terminal

/// The recorded bytes of nine terminals (interface.md, "What terminals send"), compared with the
/// expected chords.
@Suite struct KeyMatrixTests {
  /// Chords that arrive as another key, by name; all others must arrive as what they are.
  private static let arrivesAs: [String: [String]] = [
    "ctrl+Return": ["Enter"], "shift+Return": ["Enter"], "ctrl+m": ["Enter"], "ctrl+i": ["Tab"],
    "ctrl+Tab": ["Tab"], "ctrl+shift+Tab": ["Shift+Tab"], "ctrl+BackSpace": ["Backspace"],
    "ctrl+h": ["Backspace"], "ctrl+2": ["Ctrl+Space"], "ctrl+grave": ["Ctrl+Space", "`"],
    "ctrl+3": ["Esc"], "ctrl+bracketleft": ["Esc"], "ctrl+6": ["^^", "Ctrl+Alt+^"],
    "ctrl+8": ["Backspace"], "ctrl+1": ["1"], "ctrl+9": ["9"], "ctrl+comma": [","],
    "ctrl+period": ["."], "ctrl+semicolon": [";"], "ctrl+slash": ["^_"], "ctrl+shift+p": ["^P"],
    "ctrl+shift+f": ["^F"], "ctrl+shift+k": ["^K"],
    // tmux and screen glued the Escape before it to the next key.
    "ctrl+bracketright": ["^]", "Ctrl+Alt+]"], "alt+1": ["Alt+1", "Esc Alt+1"],
    "alt+bracketright": ["Alt+]", "Alt+["], "alt+shift+o": ["Alt+Shift+O", "Alt+] Alt+Shift+O"],
    "alt+less": ["Alt+<", "Alt+Shift+O Alt+<"], "ctrl+alt+a": ["Ctrl+Alt+A", "Esc"],
    // st without its keypad in application mode.
    "alt+Delete": ["Alt+Del", "Del"], "alt+Prior": ["Alt+PgUp", "PgUp"],
    "ctrl+Home": ["Ctrl+Home", "Home"], "alt+Home": ["Alt+Home", "Home"], "shift+Insert": [],
  ]

  private struct Sample: CustomStringConvertible {
    var name: String
    var terminal: String
    var bytes: [UInt8]
    var description: String { "\(name) in \(terminal)" }
  }

  private static func samples() throws -> [Sample] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/key-matrix.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let terminals = lines[0].split(separator: " ").dropFirst().map(String.init)
    return lines.dropFirst().flatMap { line in
      let characters = Array(line)
      let name = String(characters[..<20]).trimmingCharacters(in: .whitespaces)
      return terminals.indices.compactMap { index -> Sample? in
        let from = 20 + index * 15
        guard from < characters.count else { return nil }
        let cell = String(characters[from..<min(characters.count, from + 15)])
          .trimmingCharacters(in: .whitespaces)
        // Without ?1036h xterm's Alt types letters; Natter sends it, which is the next column.
        guard cell != "-", terminals[index] != "xterm" || !name.contains("alt") else { return nil }
        return Sample(name: name, terminal: terminals[index], bytes: bytes(cell))
      }
    }
  }

  private static func bytes(_ cell: String) -> [UInt8] {
    var rest = cell[...]
    var bytes: [UInt8] = []
    while let first = rest.first {
      if rest.hasPrefix("ESC") {
        bytes.append(0x1B)
        rest = rest.dropFirst(3)
      } else if first == "^", rest.count > 1, let code = rest.dropFirst().first?.asciiValue {
        bytes.append(code ^ 0x40)
        rest = rest.dropFirst(2)
      } else {
        bytes += Array(String(first).utf8)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }

  private static let names = [
    "Return": "Enter", "BackSpace": "Backspace", "Escape": "Esc", "Delete": "Del", "Prior": "PgUp",
    "Insert": "Ins", "space": "Space", "slash": "/", "underscore": "_", "minus": "-", "comma": ",",
    "period": ".", "semicolon": ";", "backslash": "\\", "bracketleft": "[", "bracketright": "]",
    "grave": "`", "question": "?", "less": "<", "greater": ">",
  ]

  private static func spelling(_ name: String) -> String {
    name.split(separator: "+").map { names[String($0)] ?? $0.capitalized }.joined(separator: "+")
  }

  @Test func `every chord of the matrix is understood`() throws {
    let samples = try Self.samples()
    #expect(samples.count > 600)
    for sample in samples where sample.name != "shift+Insert" {
      var decoder = InputDecoder()
      var events = decoder.feed(sample.bytes, at: .now)
      while let deadline = decoder.pendingDeadline { events += decoder.expire(at: deadline) }
      var spelling = Self.spelling(sample.name)
      if spelling.count == 1 { spelling = spelling.lowercased() }
      let accepted = (Self.arrivesAs[sample.name] ?? [spelling]).compactMap {
        KeySequence($0)?.keys
      }
      #expect(
        accepted.contains { keys in keys.map { InputEvent.key($0) } == events },
        "\(sample): \(events)")
    }
  }
}
