/// The source of a manual page, with its escapes taken out.
struct Manual {
  private let lines: [String]

  init(_ path: String) throws {
    lines = try Checkout.text(path).split(separator: "\n").map { line in
      String(line).replacing("\\(ha", with: "^").replacing("\\&", with: "").replacing(
        "\\(dq", with: "\""
      )
      .replacing("\\(ti", with: "~")
    }
  }

  /// The lines of one section or subsection.
  func section(_ name: String) -> [String] {
    guard let start = lines.firstIndex(where: { $0 == ".Sh \(name)" || $0 == ".Ss \(name)" }) else {
      return []
    }
    return lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") && !$0.hasPrefix(".Ss ") }
  }
}
