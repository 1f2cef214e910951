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
