import Foundation

/// The sizes of types, protocols, initialisers and files, added up over all files of a type's
/// extensions.
///
/// The sources are formatted: declarations that are no members begin in the first column, and so do
/// the braces that end them.
struct TypeFigures {
  /// Lines between the braces of the type and its extensions, by `Module.Type`.
  private(set) var lines: [String: Int] = [:]
  /// Stored properties of an instance.
  private(set) var stored: [String: Int] = [:]
  /// Requirements of a protocol.
  private(set) var requirements: [String: Int] = [:]
  /// The most parameters that an initialiser of the type takes. Values of the model are left out:
  /// what they are made of is theirs.
  private(set) var parameters: [String: Int] = [:]
  /// `weak self` in a file, by its path.
  private(set) var weak: [String: Int] = [:]

  init(of files: [SwiftFile]) {
    for file in files {
      let weak = file.lines(having: ["weak self"]).reduce(0) {
        $0 + file.code[$1].components(separatedBy: "weak self").count - 1
      }
      if weak > 0 { self.weak[file.path] = weak }
      add(file)
    }
  }

  private static nonisolated(unsafe) let declaration =
    /^(?:@\w+(?:\([^)]*\))? |(?:package|public|private|fileprivate|final|nonisolated|indirect|distributed)\b ?(?:\(unsafe\) )?)*(class|struct|enum|actor|protocol|extension) ([\w.]+)/
  private static nonisolated(unsafe) let member =
    /^  (?:@\w+(?:\([^)]*\))? |(?:package|public|private|fileprivate|nonisolated|lazy|weak|unowned|final)(?:\(\w+\))? )*(?:var|let) \w/
  private static nonisolated(unsafe) let multiple = /^  (?:private )?(?:let|var) \(([^)=]*)\)/
  private static nonisolated(unsafe) let computed = /^[^={]*\{(?!.*\bdidSet\b)/
  private static nonisolated(unsafe) let requirement =
    /^  (?:@\w+(?:\([^)]*\))? |(?:static|mutating|nonisolated|isolated|consuming|borrowing) )*(?:func|var|init|subscript)\b/

  private static nonisolated(unsafe) let initializer = /^  [\w() ]*\binit[?]?(?:<.*>)?\(/

  private mutating func add(_ file: SwiftFile) {
    let module = Checkout.module(of: file.path)
    var index = 0
    while index < file.code.count {
      defer { index += 1 }
      // Most lines are members, and patterns are slow.
      guard !file.code[index].hasPrefix(" "),
        let match = file.code[index].firstMatch(of: Self.declaration)
      else { continue }
      let name = "\(module).\(match.output.2)"
      guard let start = file.code[index...].firstIndex(where: { $0.contains("{") }) else { return }
      // `struct Name {}`
      if file.code[start].hasSuffix("}") { continue }
      let end = file.code[start...].firstIndex { $0.hasPrefix("}") } ?? file.code.count - 1
      lines[name, default: 0] += end - start + 1
      let isProtocol = match.output.1 == "protocol"
      for line in file.code[start...end] where line.hasPrefix("  ") && !line.hasPrefix("   ") {
        if isProtocol {
          if line.contains(Self.requirement) { requirements[name, default: 0] += 1 }
        } else if !line.has(["var ", "let "]) {
          continue
        } else if let several = line.firstMatch(of: Self.multiple) {
          stored[name, default: 0] += several.output.1.split(separator: ",").count
        } else if line.contains(Self.member), !line.contains(Self.computed) {
          stored[name, default: 0] += 1
        }
      }
      if module != "NatterCore" {
        let most = Self.mostParameters(in: file.code[start...end])
        parameters[name] = max(parameters[name] ?? 0, most)
      }
      index = end
    }
  }

  /// The most parameters of an initialiser that is a member in `code`.
  private static func mostParameters(in code: ArraySlice<String>) -> Int {
    var most = 0
    for index in code.indices where code[index].has(["init"]) {
      guard code[index].contains(initializer) else { continue }
      var (depth, commas, isEmpty) = (0, 0, true)
      scan: for (number, line) in code[index...].enumerated() {
        let rest = number == 0 ? line.drop { $0 != "(" } : line[...]
        for character in rest {
          switch character {
          case "(", "[", "{": depth += 1
          case ")", "]", "}": depth -= 1
          case "," where depth == 1: commas += 1
          case ":" where depth == 1: isEmpty = false
          default: break
          }
          if depth == 0 { break scan }
        }
      }
      most = max(most, isEmpty ? 0 : commas + 1)
    }
    return most
  }
}
