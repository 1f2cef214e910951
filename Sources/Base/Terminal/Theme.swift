/// The meaning of a run of text, as a small number; the theme determines its appearance.
///
/// Only `plain` and the hues are defined here: the layer that draws declares its own roles in an
/// extension, with the names that theme files use.
package struct StyleRole: Hashable, Sendable {
  package let rawValue: UInt8
  /// The attributes in addition to those of the theme.
  package private(set) var added: Attributes = []
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static let plain = StyleRole(rawValue: 0)

  /// The role without added attributes.
  package var base: StyleRole { StyleRole(rawValue: rawValue) }

  /// Returns the role with additional attributes.
  package func adding(_ attributes: Attributes) -> StyleRole {
    var role = self
    role.added.formUnion(attributes)
    return role
  }
}

/// The attributes of glyphs besides their colours.
package struct Attributes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static let bold = Attributes(rawValue: 1)
  package static let dim = Attributes(rawValue: 2)
  package static let italic = Attributes(rawValue: 4)
  package static let underline = Attributes(rawValue: 8)
  package static let reverse = Attributes(rawValue: 16)

  /// The attributes by their names in theme files.
  package static let named: [String: Attributes] = [
    "bold": .bold, "dim": .dim, "italic": .italic, "underline": .underline, "reverse": .reverse,
  ]
}

/// The appearance of a role on the screen.
package struct Look: Hashable, Sendable {
  package var foreground: Color
  package var background: Color
  package var attributes: Attributes

  package init(
    foreground: Color = .terminalDefault, background: Color = .terminalDefault,
    attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }
}

/// The appearance of every role, for terminals of any number of colours (interface.md, "Colours and
/// themes").
package struct Theme: Equatable, Sendable {
  /// The surroundings of the terminal: dark or bright.
  package enum Brightness: String, Sendable { case dark, light }

  /// The name that is displayed.
  package var name: String
  package var kind: Brightness
  /// The colours that the user can distinguish.
  package var vision = Vision.all
  var styles: RoleStyles
  var styles16: RoleStyles
  var stylesMono: RoleStyles

  /// A theme without colours: every role looks plain.
  package static let plain = Theme(
    name: "plain", kind: .dark, styles: RoleStyles(), styles16: RoleStyles(),
    stylesMono: RoleStyles())

  /// Creates the theme of a file.
  /// - Parameter parent: returns the file of a name, for `inherits`; called again for the parents'
  ///   parents.
  package init(_ file: ThemeFile, parent: (String) -> ThemeFile? = { _ in nil }) {
    var chain = [file]
    var names: Set<String> = []
    while let name = chain.last?.inherits, names.insert(name).inserted, let next = parent(name) {
      chain.append(next)
    }
    self.init(chain: chain)
  }

  /// Creates the theme of a file and of those that it inherits from.
  /// - Parameter chain: the file itself first, then the parent of each; an empty chain is a
  ///   theme without styles.
  package init(chain: [ThemeFile]) {
    self.init(
      name: chain.first?.name ?? "", kind: chain.lazy.compactMap(\.kind).first ?? .dark,
      styles: RoleStyles(), styles16: RoleStyles(), stylesMono: RoleStyles())
    for file in chain.reversed() {
      file.styles.forEach { role, style in
        styles[role] = style
        // The parent's style for 16 colours belongs to the parent's own colours.
        styles16[role] = nil
      }
      file.styles16.forEach { styles16[$0] = $1 }
      file.stylesMono.forEach { stylesMono[$0] = $1 }
    }
  }

  init(
    name: String, kind: Brightness, styles: RoleStyles, styles16: RoleStyles, stylesMono: RoleStyles
  ) {
    self.name = name
    self.kind = kind
    self.styles = styles
    self.styles16 = styles16
    self.stylesMono = stylesMono
  }

  /// Returns whether the theme has a style for a role.
  package func defines(_ role: StyleRole) -> Bool { styles[role] != nil }

  /// Returns the look of a role on a terminal of a colour depth.
  ///
  /// Missing colours come from the plain text, so every look has both. Takes some microseconds; a
  /// screen caches the results.
  package func look(of role: StyleRole, at depth: ColorDepth) -> Look {
    var look = baseLook(of: role, at: depth)
    // Terminals show only one of the two, and the added attribute has to be visible.
    if role.added.contains(.bold) { look.attributes.remove(.dim) }
    look.attributes.formUnion(role.added)
    if Self.hidesBold(look, at: depth), look.attributes.remove(.bold) != nil,
      role.added.contains(.bold)
    {
      look.attributes.insert(.underline)
    }
    return look
  }

  /// Returns whether bold would make a look hard to read: terminals of few colours draw it in the
  /// bright colour, black in grey.
  private static func hidesBold(_ look: Look, at depth: ColorDepth) -> Bool {
    guard case .indexed(let index) = look.foreground else { return false }
    switch depth {
    case .sixteen: return index == 0
    case .eight:
      guard index > 0 else { return true }
      let bright = Color.contrast(.indexed(index | 8), look.background) ?? ThemeCheck.textContrast
      let plain = Color.contrast(look.foreground, look.background) ?? ThemeCheck.textContrast
      return bright < min(ThemeCheck.textContrast, plain)
    case .truecolor, .indexed, .mono: return false
    }
  }

  /// Returns the grey look of a role that the theme itself makes black and bold for 16 colours;
  /// `nil` for any other. It is not drawn like this.
  func greyFromBoldBlack(_ role: StyleRole) -> Look? {
    guard styles16[role] != nil else { return nil }
    var look = sixteenColors(role)
    guard look.foreground == .indexed(0), look.attributes.contains(.bold) else { return nil }
    look.foreground = .indexed(8)
    return look
  }

  private func baseLook(of role: StyleRole, at depth: ColorDepth) -> Look {
    let role = role.hue.map { roleOnWheel(for: $0, at: depth) } ?? role
    switch depth {
    case .truecolor: return full(role, in: styles)
    case .indexed: return reduced(full(role, in: styles), to: 16...255)
    case .sixteen: return sixteenColors(role)
    case .eight: return eightColors(sixteenColors(role))
    case .mono: return Look(attributes: monoAttributes(role))
    }
  }

  private func full(_ role: StyleRole, in table: RoleStyles) -> Look {
    let style = table[role] ?? styles[role]
    let text = table[.plain] ?? styles[.plain]
    return Look(
      foreground: style?.foreground ?? text?.foreground ?? .terminalDefault,
      background: style?.background ?? text?.background ?? .terminalDefault,
      attributes: style?.attributes ?? [])
  }

  /// Returns the colours of `range` nearest to a look's own, with as much contrast as it had (up to
  /// 4.5).
  private func reduced(_ look: Look, to range: ClosedRange<UInt8>) -> Look {
    var result = look
    if case .rgb = look.background { result.background = look.background.nearest(in: range) }
    if case .rgb = look.foreground {
      let wanted = min(4.5, Color.contrast(look.foreground, look.background) ?? 1)
      result.foreground = look.foreground.nearest(
        in: range, on: result.background, contrast: wanted)
    }
    return result
  }

  private func sixteenColors(_ role: StyleRole) -> Look {
    // A role with its own style for 16 colours also uses the plain text's style for them.
    var look = full(role, in: styles16)
    if case .indexed(let index) = look.background, index > 15 {
      look.background = opaque(look.background)
    }
    if case .indexed(let index) = look.foreground, index > 15 {
      look.foreground = opaque(look.foreground)
    }
    return reduced(look, to: 0...15)
  }

  private func opaque(_ color: Color) -> Color {
    guard let (red, green, blue) = color.components else { return color }
    return .rgb(UInt8(red), UInt8(green), UInt8(blue))
  }

  private func eightColors(_ look: Look) -> Look {
    var result = look
    if case .indexed(let index) = look.background, index >= 8 {
      result.background = .indexed(index - 8)
    }
    if case .indexed(let index) = look.foreground {
      let dark = Color.indexed(index & 7)
      if index == 8 {
        // Bold black is unreadable on most terminals of 8 colours.
        result.foreground = kind == .dark ? .indexed(7) : .indexed(0)
        result.attributes.insert(.dim)
      } else if let contrast = Color.contrast(dark, result.background), contrast < 4.5 {
        result.foreground = look.foreground.nearest(in: 0...7, on: result.background, contrast: 4.5)
      } else {
        result.foreground = dark
        if index >= 8 { result.attributes.insert(.bold) }
      }
    }
    return result
  }

  private func monoAttributes(_ role: StyleRole) -> Attributes {
    if let style = stylesMono[role] { return style.attributes }
    guard let style = styles[role] else { return [] }
    // A background of its own makes a role conspicuous.
    let text = styles[.plain]?.background ?? .terminalDefault
    if let background = style.background, background != text {
      return style.attributes.union(.reverse)
    }
    return style.attributes
  }
}
