/// The formats of histories that can be imported.
package enum HistoryFormats {
  /// All of them, in the order in which a file is tried.
  package static let all: [any HistoryFormat.Type] = [
    NatterFormat.self, XEP0227Format.self, ProfanityFormat.self, PoezioFormat.self,
    McabberFormat.self, GajimHistory.self, DinoHistory.self, PidginHistory.self, PsiHistory.self,
    ConversationsBackup.self,
  ]

  /// The names after `--as`.
  package static var names: [String] { all.map { $0.name } }

  package static func format(named name: String) -> (any HistoryFormat.Type)? {
    all.first { $0.name == name }
  }

  /// Returns the format of a file or folder, by its content; `nil`: none of them.
  package static func format(of path: String) -> (any HistoryFormat.Type)? {
    all.first { $0.recognizes(path) }
  }
}
