/// The check for unreadable roles of a theme (interface.md, "Colours and themes").
package enum ThemeCheck {
  /// The minimum contrast of text (WCAG 2.1 AA).
  package static let textContrast = 4.5
  /// The minimum contrast of borders and other symbols.
  package static let glyphContrast = 3.0

  /// A role that is missing or hard to read.
  package struct Finding: Equatable, Sendable {
    package var role: String
    /// The number of colours; `nil` if the role is missing altogether.
    package var depth: ColorDepth?
    /// The contrast, if it is insufficient.
    package var contrast: Double?
    /// The required contrast.
    package var needed: Double?
  }

  /// Returns the lowest contrast of all text; `nil` if all is in the terminal's own colours.
  package static func leastContrast(
    in theme: Theme, roles: [String: StyleRole], glyphRoles: Set<String>, at depth: ColorDepth
  ) -> Double? {
    roles.filter { !glyphRoles.contains($0.key) }.compactMap { role in
      let look = theme.look(of: role.value, at: depth)
      return Color.contrast(look.foreground, look.background)
    }.min()
  }

  /// Returns all roles that are missing or hard to read.
  ///
  /// The terminal's own colours are unknown and assumed to be readable. Bold on black counts as the
  /// grey that terminals of 16 colours draw.
  /// - Parameters:
  ///   - roles: all roles by name.
  ///   - glyphRoles: the names of roles that are not read as text: borders, scroll bars.
  package static func findings(
    in theme: Theme, roles: [String: StyleRole], glyphRoles: Set<String>
  ) -> [Finding] {
    var findings: [Finding] = []
    for (name, role) in roles.sorted(by: { $0.key < $1.key }) {
      if !theme.defines(role) {
        findings.append(Finding(role: name))
        continue
      }
      let needed = glyphRoles.contains(name) ? glyphContrast : textContrast
      for depth in [ColorDepth.truecolor, .indexed, .sixteen, .eight] {
        let grey = depth == .sixteen ? theme.greyFromBoldBlack(role) : nil
        let look = grey ?? theme.look(of: role, at: depth)
        guard let contrast = Color.contrast(look.foreground, look.background), contrast < needed
        else { continue }
        findings.append(
          Finding(role: name, depth: depth, contrast: contrast, needed: needed))
      }
    }
    return findings
  }
}
