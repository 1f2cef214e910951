import Foundation

/// Figures about the comments of source files: retired terms, width, and documentation.
struct CommentFigures {
  /// The declarations of a module that other modules see.
  struct Interface: Equatable {
    /// Lines of doc comments above its declarations.
    var documentation = 0
    /// Lines of its declarations without their bodies: those with `package`, the requirements of
    /// protocols and the cases of enumerations.
    var declarations = 0

    /// Lines of doc comments for 100 lines of declarations, rounded down.
    var density: Int { declarations == 0 ? 100 : documentation * 100 / declarations }
  }

  /// Uses of retired terms in comments as `line: terms`, with their number, by path.
  private(set) var terms: [String: [(location: String, count: Int)]] = [:]
  /// The numbers of lines over 100 columns that have a comment, by path.
  private(set) var wide: [String: [Int]] = [:]
  private(set) var interfaces: [String: Interface] = [:]

  init(of files: [SwiftFile]) {
    for file in files {
      for comment in Self.comments(of: file) {
        let found = RetiredTerms.forms(in: comment.text)
        if found.isEmpty { continue }
        let location = "\(comment.line): \(found.joined(separator: ", "))"
        terms[file.path, default: []].append((location, found.count))
      }
      let wide = file.lines.indices.filter {
        // Bytes are counted faster than characters.
        !file.comments[$0].isEmpty && file.lines[$0].utf8.count > 100
          && file.lines[$0].unicodeScalars.count > 100
      }
      if !wide.isEmpty { self.wide[file.path] = wide.map { $0 + 1 } }
      addInterface(of: file)
    }
  }

  /// The comments of `file` with the number of their first line; the lines of one are joined, and
  /// the names of parameters left out.
  private static func comments(of file: SwiftFile) -> [(line: Int, text: String)] {
    var found: [(line: Int, text: String)] = []
    var isInside = false
    for (index, comment) in file.comments.enumerated() {
      if comment.isEmpty {
        isInside = false
        continue
      }
      // A comment behind code is one of its own.
      let isWholeLine = file.code[index].utf8.allSatisfy { $0 == UInt8(ascii: " ") }
      let text = withoutName(comment.drop { $0 == "/" })
      if isInside && isWholeLine {
        found[found.count - 1].text += " " + text
      } else {
        found.append((index + 1, String(text)))
      }
      isInside = isWholeLine
    }
    return found
  }

  /// `line` without the name of a parameter at its beginning, `- Parameter name:` or `- name:`.
  private static func withoutName(_ line: Substring) -> Substring {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("- "), let match = text.firstMatch(of: /^- (?:Parameter )?\w+:/) else {
      return line
    }
    return text[match.range.upperBound...]
  }

  private static nonisolated(unsafe) let declaration =
    /^(?<margin> *)(?:@\w+(?:\([^)]*\))? |(?:nonisolated|static|final)(?:\(unsafe\))? )*package (?:.*\b(?<open>protocol|enum) \w)?/
  private static nonisolated(unsafe) let requirement =
    /^ *(?:@\w+(?:\([^)]*\))? |(?:static|mutating|nonisolated|isolated|consuming|borrowing) )*(?:func|var|init|subscript|associatedtype)\b/
  private static nonisolated(unsafe) let enumerationCase = /^ *(?:indirect )?case\b/

  private mutating func addInterface(of file: SwiftFile) {
    let module = Checkout.module(of: file.path)
    for first in file.lines(having: ["package "]) {
      guard let match = file.code[first].firstMatch(of: Self.declaration) else { continue }
      add(first, of: file, to: module)
      guard let open = match.output.open else { continue }
      let member = open == "enum" ? Self.enumerationCase : Self.requirement
      let margin = String(match.output.margin)
      for index in file.code.indices.dropFirst(first + 1) {
        let line = file.code[index]
        if line.hasPrefix(margin + "}") { break }
        let isMember = line.hasPrefix(margin + "  ") && !line.hasPrefix(margin + "   ")
        if isMember, line.contains(member) { add(index, of: file, to: module) }
      }
    }
  }

  /// Adds the declaration that begins at `index`.
  private mutating func add(_ index: Int, of file: SwiftFile, to module: String) {
    let before = file.lines[..<index].reversed().lazy.map { $0.drop { $0 == " " } }
    let documentation = before.drop { $0.hasPrefix("@") }.prefix { $0.hasPrefix("///") }.count
    interfaces[module, default: Interface()].documentation += documentation
    interfaces[module, default: Interface()].declarations += Self.height(of: file.code[index...])
  }

  /// The lines of the declaration at the beginning of `code`, without its body or value.
  private static func height(of code: ArraySlice<String>) -> Int {
    var depth = 0
    for (number, line) in code.enumerated() {
      let bytes = Array(line.utf8)
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "{") where depth == 0: return number + 1
        case UInt8(ascii: "=") where depth == 0:
          let space = UInt8(ascii: " ")
          // The operators `==` and `<=` are names.
          if index > 0, bytes[index - 1] == space, (bytes + [space])[index + 1] == space {
            return number + 1
          }
        default: break
        }
      }
      if depth <= 0 { return number + 1 }
    }
    return code.count
  }
}
