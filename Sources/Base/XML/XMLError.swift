/// The reason why a stream's XML is rejected (RFC 6120 §4.9.3, §11).
package struct XMLError: Error, Hashable, Sendable {
  /// The kind of error.
  package enum Problem: String, Hashable, Sendable, CaseIterable {
    // Not XML, or not XML with namespaces.
    case unexpectedCharacter, forbiddenCharacter, mismatchedTag, duplicateAttribute
    case undeclaredPrefix, wrongNamespaceDeclaration, wrongName, cdataEndInText
    case afterTheEnd
    // XML features that XMPP forbids.
    case doctype, processingInstruction, comment, undefinedEntity
    // Not UTF-8.
    case invalidUTF8, unsupportedEncoding
    // Over a limit.
    case tooDeep, tooLarge, tooManyAttributes
    // Text where only stanzas are allowed.
    case textBetweenStanzas
  }

  package let problem: Problem
  /// The position of the error, in bytes from the stream's start (or the last `reset()`).
  package let offset: Int

  package init(_ problem: Problem, offset: Int) {
    self.problem = problem
    self.offset = offset
  }
}
