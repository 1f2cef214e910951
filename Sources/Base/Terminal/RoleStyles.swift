/// A theme's styles by the numbers of roles. The start-up reads it before the first frame, and
/// avoids a dictionary.
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

  /// Calls `body` for each role with a style.
  func forEach(_ body: (StyleRole, ThemeFile.Style) -> Void) {
    for index in styles.indices {
      guard let style = styles[index], let number = UInt8(exactly: index) else { continue }
      body(StyleRole(rawValue: number), style)
    }
  }

  /// Compares the styles, not the length of the storage.
  static func == (left: RoleStyles, right: RoleStyles) -> Bool {
    (0..<max(left.styles.count, right.styles.count)).allSatisfy {
      let role = StyleRole(rawValue: UInt8($0))
      return left[role] == right[role]
    }
  }
}
