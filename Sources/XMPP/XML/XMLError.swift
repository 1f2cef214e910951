/// Why a stream's XML is refused (RFC 6120 §4.9.3, §11).
package struct XMLError: Error, Hashable, Sendable {
  /// What is wrong with it.
  package enum Problem: String, Hashable, Sendable, CaseIterable {
    // Not XML, or not XML with namespaces.
    case unexpectedCharacter, forbiddenCharacter, mismatchedTag, duplicateAttribute
    case undeclaredPrefix, wrongNamespaceDeclaration, wrongName, cdataEndInText
    case afterTheEnd
    // XML, but more of it than XMPP allows.
    case doctype, processingInstruction, comment, undefinedEntity
    // Not UTF-8.
    case invalidUTF8, unsupportedEncoding
    // Over a limit.
    case tooDeep, tooLarge, tooManyAttributes
    // Text where only stanzas may be.
    case textBetweenStanzas
  }

  package let problem: Problem
  /// The position in the stream where it was seen, in bytes from the stream's start (or last `reset()`).
  package let offset: Int

  package init(_ problem: Problem, offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  /// What is wrong, for the report: the stream error's name, what was seen and where.
  package var detail: String { "\(condition.rawValue): \(problem.words), at byte \(offset)" }

  /// The stream error to answer with.
  package var condition: StreamError.Condition {
    switch problem {
    case .unexpectedCharacter, .forbiddenCharacter, .mismatchedTag, .duplicateAttribute,
      .undeclaredPrefix, .wrongNamespaceDeclaration, .wrongName, .cdataEndInText, .afterTheEnd:
      .notWellFormed
    case .doctype, .processingInstruction, .comment, .undefinedEntity: .restrictedXML
    case .invalidUTF8, .unsupportedEncoding: .unsupportedEncoding
    case .tooDeep, .tooLarge, .tooManyAttributes: .policyViolation
    case .textBetweenStanzas: .badFormat
    }
  }
}

extension XMLError.Problem {
  /// What was seen, in a few words of English: protocol talk, as the server's own words are.
  fileprivate var words: String {
    switch self {
    case .unexpectedCharacter: "a character where none may be"
    case .forbiddenCharacter: "a character that XML forbids"
    case .mismatchedTag: "an end tag of another element"
    case .duplicateAttribute: "an attribute twice"
    case .undeclaredPrefix: "a prefix that nothing declares"
    case .wrongNamespaceDeclaration: "a namespace declaration that may not be"
    case .wrongName: "a name that is none"
    case .cdataEndInText: "]]> in text"
    case .afterTheEnd: "something after the end of the stream"
    case .doctype: "a document type"
    case .processingInstruction: "a processing instruction"
    case .comment: "a comment"
    case .undefinedEntity: "an entity that XMPP does not have"
    case .invalidUTF8: "bytes that are not UTF-8"
    case .unsupportedEncoding: "another encoding than UTF-8"
    case .tooDeep: "elements nested too deep"
    case .tooLarge: "a stanza that is too large"
    case .tooManyAttributes: "too many attributes"
    case .textBetweenStanzas: "text between stanzas"
    }
  }
}
