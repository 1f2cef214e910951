import Foundation
import NatterCore
import Testing

@testable import Configuration

@Suite struct ConfigurationEditorTests {
  private let directory: URL
  private let file: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    file = directory.appending(path: "config.toml")
  }

  private func setting(_ section: String, _ key: String) throws -> Setting {
    try #require(Setting.all.first { $0.section == section && $0.key == key })
  }

  private func change(_ text: String, _ section: String, _ key: String, _ value: String?) throws
    -> String
  {
    try text.write(to: file, atomically: true, encoding: .utf8)
    let editor = ConfigurationEditor(
      path: file.path, names: KnownNames(themes: ["day", "night"], languages: ["en", "fr"]))
    _ = try editor.set(setting(section, key), to: value)
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func `a changed value keeps comments, order and what is not known`() throws {
    let before = """
      # mine
      [ui]
        theme = "day"   # bright "office" # yes
      odd = 3
      mouse = true

      [notify]
      bell = "all"
      """ + "\n"
    #expect(
      try change(before, "ui", "theme", "night")
        == before.replacing(#"theme = "day" "#, with: #"theme = "night" "#))
    #expect(
      try change(before, "ui", "mouse", "false") == before.replacing("= true", with: "= false"))
    #expect(
      try change(before, "ui", "clock", "false")
        == before.replacing("mouse = true\n", with: "mouse = true\nclock = false\n"))
    #expect(
      try change(before, "log", "level", "debug") == before + "\n[log]\nlevel = \"debug\"\n")
    #expect(
      try change(before, "notify", "bell", nil) == before.replacing("bell = \"all\"\n", with: ""))
  }

  @Test func `what is no value is answered with an example of one`() throws {
    let error = #expect(throws: NatterError.self) {
      try change("", "notify", "quiet", "banana")
    }
    #expect(error?.key == "error.badSettingLike")
    #expect(
      error?.arguments == ["key": "quiet", "value": "banana", "example": "22:00-07:00"])
    let server = try setting("account", "server")
    #expect(server.plainExample == "xmpp.example.org")
    #expect(try setting("account", "password_command").plainExample == "pass show xmpp/alice")
    #expect(try setting("account", "port").plainExample == nil)
    let number = #expect(throws: NatterError.self) { try change("", "account", "port", "99999") }
    #expect(number?.key == "error.badSetting")
  }

  @Test func `in the printed file the new line is below the one that describes it`() throws {
    let text = try change(ConfigurationFile.commentedDefaults(), "ui", "mouse", "false")
    #expect(text.contains("#mouse = true\nmouse = false\n"))
  }

  @Test func `a value over several lines is replaced as a whole`() throws {
    let before = "[account]\npassword_command = [\n  \"pass\",\n  \"a # b\",\n]\nport = 5222\n"
    #expect(
      try change(before, "account", "password_command", "cat /x")
        == "[account]\npassword_command = [\"cat\", \"/x\"]\nport = 5222\n")
    #expect(try change(before, "account", "password_command", nil) == "[account]\nport = 5222\n")
  }

  @Test func `line ends stay what they are, CRLF too`() throws {
    let before = "# mine\r\n[ui]\r\ntheme = \"day\" # bright\r\nmouse = true\n\r\n[log]\r\n"
    #expect(
      try Array(change(before, "ui", "theme", "night").utf8)
        == Array(before.replacing("\"day\"", with: "\"night\"").utf8))
    #expect(
      try Array(change("[ui]\r\nmouse = true\r\n", "ui", "clock", "false").utf8)
        == Array("[ui]\r\nmouse = true\r\nclock = false\r\n".utf8))
    #expect(
      try Array(change("[ui]\r\nmouse = true", "log", "level", "debug").utf8)
        == Array("[ui]\r\nmouse = true\r\n\r\n[log]\r\nlevel = \"debug\"\r\n".utf8))
  }

  @Test func `comments between the elements of an array stay with what stays`() throws {
    let before = """
      [account]
      password_command = [ # how it is asked for
        "pass",   # the store
        # what to do there
        "show",
        "xmpp/alice", # whose
      ] # that is all
      port = 5222

      """
    #expect(
      try change(before, "account", "password_command", "pass -q show xmpp/bob") == """
        [account]
        password_command = [ # how it is asked for
          "pass",   # the store
          # what to do there
          "-q",
          "show",
          # whose
          "xmpp/bob",
        ] # that is all
        port = 5222

        """)
    #expect(
      try change(before, "account", "password_command", nil) == """
        [account]
        # how it is asked for
        # the store
        # what to do there
        # whose
        # that is all
        port = 5222

        """)
  }

  @Test func `a file that may not be written is left alone, and who may read one stays`() throws {
    try "[ui]\n".write(to: file, atomically: true, encoding: .utf8)
    let editor = ConfigurationEditor(path: file.path, names: KnownNames())
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file.path)
    #expect(throws: NatterError(.storage, "error.settingsReadOnly", ["path": file.path])) {
      try editor.set(setting("ui", "clock"), to: "false")
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "[ui]\n")
    for mode in [0o644, 0o640] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
      _ = try editor.set(setting("ui", "clock"), to: "false")
      let after = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect(after as? Int == mode)
    }
  }

  @Test func `a file that is not there is made, for its owner alone`() throws {
    let editor = ConfigurationEditor(path: file.path, names: KnownNames())
    let settings = try editor.set(setting("ui", "clock"), to: "false")
    #expect(!settings.ui.showsClock)
    #expect(try String(contentsOf: file, encoding: .utf8) == "[ui]\nclock = false\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `what a symbolic link leads to is changed`() throws {
    let real = directory.appending(path: "dotfiles.toml")
    try "[ui]\n".write(to: real, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: real)
    _ = try ConfigurationEditor(path: file.path, names: KnownNames())
      .set(setting("ui", "clock"), to: "false")
    #expect(try String(contentsOf: real, encoding: .utf8) == "[ui]\nclock = false\n")
    #expect(try file.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
  }

  @Test func `a file that becomes a symbolic link meanwhile stays one`() throws {
    let editor = ConfigurationEditor(path: file.path, names: KnownNames())
    _ = try editor.set(setting("ui", "clock"), to: "false")
    let real = directory.appending(path: "dotfiles.toml")
    try FileManager.default.moveItem(at: file, to: real)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: real)
    _ = try editor.set(setting("ui", "clock"), to: "true")
    #expect(try String(contentsOf: real, encoding: .utf8) == "[ui]\nclock = true\n")
    #expect(try file.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
  }

  @Test(arguments: [
    ("ui", "theme", "nigth"), ("account", "port", "70000"), ("account", "port", "1\nmouse = false"),
    ("account", "address", "nobody"), ("ui", "mouse", "maybe"),
  ])
  func `a bad value is refused and nothing is written`(
    _ section: String, _ key: String, _ value: String
  ) throws {
    #expect(throws: NatterError.self) { try change("[ui]\nmouse = true\n", section, key, value) }
    #expect(try String(contentsOf: file, encoding: .utf8) == "[ui]\nmouse = true\n")
  }

  @Test func `text with quotation marks and line ends stays one value`() throws {
    let text = try change("", "account", "ca_file", "/a \"b\"\n#c")
    let read = ConfigurationFile().read(text)
    #expect(read.problems.isEmpty)
    #expect(read.settings.account.caFile == "/a \"b\"\n#c")
  }

  @Test func `the sentences of the pages of settings are those of the table`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "Resources/locales/en/settings.toml"), encoding: .utf8
    ).filter { $0 != "{" && $0 != "}" }
    for setting in Setting.all {
      let help = setting.comment.replacing("\n", with: " ").filter { $0 != "{" && $0 != "}" }
      #expect(text.contains("\n\(setting.key)-help = \"\(help)\"\n"), "\(setting.key)")
    }
  }
}
