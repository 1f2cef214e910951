/// The folders and files of the scripts of a profile; absolute paths.
package struct ScriptFolders: Sendable {
  /// The folder with the user's scripts: each has a folder of its own there.
  package let user: String
  /// The folder with the scripts that come with Natter; `nil`: there is none.
  package let shipped: String?
  /// The folder with what is stored for scripts, and that with their logs.
  package let data: String
  package let state: String

  package init(user: String, shipped: String?, data: String, state: String) {
    (self.user, self.shipped, self.data, self.state) = (user, shipped, data, state)
  }

  /// The folder in which a script stores its data; it need not exist.
  package func storage(of name: String) -> String { "\(data)/\(name)/storage" }
  /// The file with the last lines of the script's standard error; it need not exist.
  package func log(of name: String) -> String { "\(state)/\(name).log" }
  /// The file of the rights that scripts were given; it need not exist.
  package var grants: String { "\(data)/grants.toml" }
}
