/// What a theme says about roles, by their numbers: a start reads it before the first frame, and needs no dictionary for it.
struct RoleStyles: Equatable, Sendable {
  private var styles: [ThemeFile.Style?] = []

  var isEmpty: Bool { styles.allSatisfy { $0 == nil } }

  subscript(role: StyleRole) -> ThemeFile.Style? {
    get {
      let index = Int(role.rawValue)
      return index < styles.count ? styles[index] : nil
    }
    set {
      let index = Int(role.rawValue)
      while styles.count <= index {
        if newValue == nil { return }
        styles.append(nil)
      }
      styles[index] = newValue
    }
  }

  /// Calls `body` for each role that something is said about.
  func forEach(_ body: (StyleRole, ThemeFile.Style) -> Void) {
    for index in styles.indices {
      guard let style = styles[index], let number = UInt8(exactly: index) else { continue }
      body(StyleRole(rawValue: number), style)
    }
  }

  /// What is said counts, not how far the numbers reach.
  static func == (left: RoleStyles, right: RoleStyles) -> Bool {
    (0..<max(left.styles.count, right.styles.count)).allSatisfy {
      let role = StyleRole(rawValue: UInt8($0))
      return left[role] == right[role]
    }
  }
}
