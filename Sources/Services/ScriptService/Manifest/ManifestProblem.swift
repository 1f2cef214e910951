import NatterCore
import TOML

/// The first mistake in a manifest.
package struct ManifestProblem: Error, Hashable, Sendable {
  /// Counted from 1; `nil`: the file as a whole.
  package let line: Int?
  /// For the author. It may quote the file.
  package let notice: StatusNotice

  /// - Parameter key: the last part of a key of `error.script.manifest`.
  init(_ line: Int?, _ key: Key, _ arguments: [String: String] = [:]) {
    self.line = line
    notice = StatusNotice(.error, key.rawValue, arguments)
  }

  /// A line that is no TOML.
  init(_ error: TOMLError) {
    line = error.line
    let sentence = error.sentences.first
    var words: [String: String] = [:]
    for (name, word) in sentence?.arguments ?? [:] {
      if case .verbatim(let text) = word { words[name] = text }
    }
    // Only the end of the line has a text of its own.
    guard let sentence, words.count == sentence.arguments.count else {
      notice = StatusNotice(.error, Key.syntax.rawValue)
      return
    }
    notice = StatusNotice(.error, sentence.key, words)
  }

  enum Key: String, CaseIterable {
    case missing = "error.script.manifest.missing"
    case unreadable = "error.script.manifest.unreadable"
    case tooLarge = "error.script.manifest.tooLarge"
    case noText = "error.script.manifest.noText"
    case syntax = "error.script.manifest.syntax"
    case noDigest = "error.script.manifest.noDigest"
    case tooManyFiles = "error.script.manifest.tooManyFiles"
    case folderName = "error.script.manifest.folderName"
    case unknownKey = "error.script.manifest.unknownKey"
    case unknownSection = "error.script.manifest.unknownSection"
    case unquoted = "error.script.manifest.unquoted"
    case unknownRight = "error.script.manifest.unknownRight"
    case unknownScope = "error.script.manifest.unknownScope"
    case unknownEvent = "error.script.manifest.unknownEvent"
    case missingKey = "error.script.manifest.missingKey"
    case needsText = "error.script.manifest.needsText"
    case needsTexts = "error.script.manifest.needsTexts"
    case needsNumber = "error.script.manifest.needsNumber"
    case needsBoolean = "error.script.manifest.needsBoolean"
    case needsChoice = "error.script.manifest.needsChoice"
    case empty = "error.script.manifest.empty"
    case tooLong = "error.script.manifest.tooLong"
    case tooMany = "error.script.manifest.tooMany"
    case control = "error.script.manifest.control"
    case api = "error.script.manifest.api"
    case name = "error.script.manifest.name"
    case language = "error.script.manifest.language"
    case program = "error.script.manifest.program"
    case path = "error.script.manifest.path"
    case prefix = "error.script.manifest.prefix"
  }
}
