import NatterCore
import Terminal

extension ScriptTextRole {
  /// The role of the theme that a text of a script has in the status line.
  nonisolated var style: StyleRole {
    switch self {
    case .plain: .statusInfo
    case .good: .statusOK
    case .warning: .statusWarning
    case .bad: .statusError
    }
  }

  /// The role of the theme that it has in a pane above the others.
  nonisolated var paneStyle: StyleRole { self == .plain ? .overlay : style }
}
