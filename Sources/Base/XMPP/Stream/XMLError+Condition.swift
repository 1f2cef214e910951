import XML

extension XMLError {
  /// The stream error to send.
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
