import Testing
import XML
import XMPP

@Suite struct MalformedXMLTests {
  typealias Problem = XMLError.Problem

  static let inside: [(String, Problem, StreamError.Condition)] = [
    ("<!-- c -->", .comment, .restrictedXML),
    ("<a><!-- c --></a>", .comment, .restrictedXML),
    ("<a><?php x?></a>", .processingInstruction, .restrictedXML),
    ("<?pi?>", .processingInstruction, .restrictedXML),
    ("<?xml version='1.0'?>", .processingInstruction, .restrictedXML),
    ("<!DOCTYPE a>", .doctype, .restrictedXML),
    ("<a>&nbsp;</a>", .undefinedEntity, .restrictedXML),
    ("<a b='&lol;'/>", .undefinedEntity, .restrictedXML),
    ("<a>&AMP;</a>", .undefinedEntity, .restrictedXML),
    ("<a>&am;</a>", .undefinedEntity, .restrictedXML),
    ("<a>\u{1}</a>", .forbiddenCharacter, .notWellFormed),
    ("<a>\u{FFFE}</a>", .forbiddenCharacter, .notWellFormed),
    ("<a b='\u{FFFF}'/>", .forbiddenCharacter, .notWellFormed),
    ("<a b='\u{0}'/>", .forbiddenCharacter, .notWellFormed),
    ("<a>&#0;</a>", .forbiddenCharacter, .notWellFormed),
    ("<a>&#xD800;</a>", .forbiddenCharacter, .notWellFormed),
    ("<a>&#x110000;</a>", .forbiddenCharacter, .notWellFormed),
    ("<a>&#99999999999999999999;</a>", .forbiddenCharacter, .notWellFormed),
    ("<a>&#;</a>", .unexpectedCharacter, .notWellFormed),
    ("<a>&#x;</a>", .unexpectedCharacter, .notWellFormed),
    ("<a>&#X41;</a>", .unexpectedCharacter, .notWellFormed),
    ("<a>&;</a>", .unexpectedCharacter, .notWellFormed),
    ("<a>& b</a>", .unexpectedCharacter, .notWellFormed),
    ("<a>&amp</a>", .unexpectedCharacter, .notWellFormed),
    ("<a>]]></a>", .cdataEndInText, .notWellFormed),
    ("<a>12345678]]></a>", .cdataEndInText, .notWellFormed),
    ("<a>é]]></a>", .cdataEndInText, .notWellFormed),
    ("<a></b>", .mismatchedTag, .notWellFormed),
    ("<a></aa>", .mismatchedTag, .notWellFormed),
    ("<aa></a>", .mismatchedTag, .notWellFormed),
    ("<p:a xmlns:p='u' xmlns:q='u'></q:a>", .mismatchedTag, .notWellFormed),
    ("</stream>", .mismatchedTag, .notWellFormed),
    ("<a b='1' b='2'/>", .duplicateAttribute, .notWellFormed),
    ("<a p:b='1' q:b='2' xmlns:p='u' xmlns:q='u'/>", .duplicateAttribute, .notWellFormed),
    ("<a p:b='1' q:b='2' xmlns:p='u&amp;' xmlns:q='u&#38;'/>", .duplicateAttribute, .notWellFormed),
    ("<a xmlns='u' xmlns='v'/>", .duplicateAttribute, .notWellFormed),
    ("<a xmlns:p='u' xmlns:p='v'/>", .duplicateAttribute, .notWellFormed),
    ("<p:a/>", .undeclaredPrefix, .notWellFormed),
    ("<a p:b='1'/>", .undeclaredPrefix, .notWellFormed),
    ("<xmlns:a/>", .undeclaredPrefix, .notWellFormed),
    ("<a xmlns:p=''/>", .wrongNamespaceDeclaration, .notWellFormed),
    ("<a xmlns:xml='u'/>", .wrongNamespaceDeclaration, .notWellFormed),
    ("<a xmlns:xmlns='u'/>", .wrongNamespaceDeclaration, .notWellFormed),
    (
      "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", .wrongNamespaceDeclaration,
      .notWellFormed
    ),
    ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", .wrongNamespaceDeclaration, .notWellFormed),
    ("<a:b:c xmlns:a='u'/>", .wrongName, .notWellFormed),
    ("<:a/>", .wrongName, .notWellFormed),
    ("<a:/>", .wrongName, .notWellFormed),
    ("<a:1 xmlns:a='u'/>", .wrongName, .notWellFormed),
    ("<1a/>", .wrongName, .notWellFormed),
    ("<-a/>", .wrongName, .notWellFormed),
    ("< a/>", .unexpectedCharacter, .notWellFormed),
    ("<a@b/>", .unexpectedCharacter, .notWellFormed),
    ("<a b=1/>", .unexpectedCharacter, .notWellFormed),
    ("<a b/>", .unexpectedCharacter, .notWellFormed),
    ("<a b='1'c='2'/>", .unexpectedCharacter, .notWellFormed),
    ("<a b='<'/>", .unexpectedCharacter, .notWellFormed),
    ("<a / >", .unexpectedCharacter, .notWellFormed),
    ("<a></a b='1'>", .unexpectedCharacter, .notWellFormed),
    ("<a><</a>", .unexpectedCharacter, .notWellFormed),
    ("<a><![cdata[x]]></a>", .unexpectedCharacter, .notWellFormed),
    ("<a×/>", .unexpectedCharacter, .notWellFormed),
    ("<\u{300}a/>", .wrongName, .notWellFormed),
    ("hello", .textBetweenStanzas, .badFormat),
    ("<a/>é", .textBetweenStanzas, .badFormat),
    ("<![CDATA[x]]>", .textBetweenStanzas, .badFormat),
    ("</stream:stream>x", .afterTheEnd, .notWellFormed),
    ("</stream:stream><a/>", .afterTheEnd, .notWellFormed),
  ]

  @Test(arguments: inside)
  func `what XMPP does not allow is refused by name`(
    text: String, problem: Problem, condition: StreamError.Condition
  ) {
    let run = ParserRun(streamStart + text)
    #expect(run.failure?.problem == problem)
    #expect(run.failure?.condition == condition)
  }

  @Test(arguments: [
    ("SSH-2.0-OpenSSH_9.2\r\n", Problem.unexpectedCharacter),
    ("HTTP/1.1 400 Bad Request\r\n", .unexpectedCharacter),
    ("<!DOCTYPE html><html>", .doctype), ("<!-- x --><s>", .comment),
    ("<?xml version='1.1'?><s>", .unexpectedCharacter),
    ("<?xml version='1.0' encoding='ISO-8859-1'?><s>", .unsupportedEncoding),
    ("<?xml encoding='UTF-8'?><s>", .unexpectedCharacter),
    ("<?xml version='1.0' version='1.0'?><s>", .unexpectedCharacter),
    ("<?xml?><s>", .processingInstruction), ("<?xml-stylesheet href='x'?>", .processingInstruction),
    (" <?xml version='1.0'?><s>", .processingInstruction), ("\u{FEFF}<s>", .unexpectedCharacter),
    ("</s>", .unexpectedCharacter), ("\u{16}\u{3}\u{1}", .forbiddenCharacter),
  ])
  func `what is no stream of XML is refused at its beginning`(text: String, problem: Problem) {
    #expect(ParserRun(text).failure?.problem == problem)
  }

  static let notUTF8: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2, 0x20], [0xE0, 0x80, 0x80],
    [0xE0, 0x9F, 0xBF],
    [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28],
    [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF],
    [0xF0, 0x9F, 0x98, 0x20], [0xF0, 0x9F, 0x20],
  ]

  @Test(arguments: notUTF8)
  func `what is not UTF-8 is refused wherever it is`(bytes: [UInt8]) {
    let frames = [
      ("<a>", "</a>"), ("<a>1234567890", "x</a>"), ("<a b='", "'/>"), ("<a><![CDATA[", "]]></a>"),
      ("<a", "/>"), ("<a b", "='1'/>"), ("", ""),
    ]
    for (before, after) in frames {
      let stream = Array((streamStart + before).utf8) + bytes + Array((after + "        ").utf8)
      for size in [1, .max] {
        let run = ParserRun(stream, size: size)
        #expect(run.failure?.problem == .invalidUTF8, "\(before) \(bytes)")
        #expect(run.failure?.condition == .unsupportedEncoding)
      }
    }
  }
}
