import NatterCore
import Testing
import XML
import XMPP

@testable import ConnectionService

@Suite struct RegistrationFormTests {
  private func form(_ fields: [XEP0004DataForm.Field]) throws -> RegistrationForm {
    var query = Element("query", Namespace.register)
    query.append(XEP0004DataForm(.form, instructions: ["Welcome"], fields: fields).element)
    return RegistrationForm(try #require(XEP0077Registration(query)))
  }

  @Test func `each kind of field is asked for as what it is`() throws {
    let form = try form([
      .init("FORM_TYPE", kind: .hidden, values: ["jabber:iq:register"]), .init("username"),
      .init("password", kind: .textPrivate), .init(nil, kind: .fixed, values: ["House rules"]),
      .init("rules", kind: .boolean, label: "I agree", isRequired: true),
      .init(
        "town", kind: .listSingle, values: ["b"],
        options: [.init(label: "Aix", value: "a"), .init(value: "b")]),
      .init("email", label: "E-mail", isRequired: true),
    ])
    #expect(form.instructions == "Welcome")
    #expect(
      form.questions.fields == [
        .init(name: "", kind: .note, label: "House rules", values: ["House rules"]),
        .init(name: "rules", kind: .boolean, label: "I agree", isRequired: true),
        .init(
          name: "town",
          kind: .choice([.init(label: "Aix", value: "a"), .init(label: "b", value: "b")]),
          label: "town", values: ["b"]),
        .init(name: "email", kind: .text, label: "E-mail", isRequired: true),
      ])
  }

  @Test func `what has several values keeps them, and what explains a field is kept`() throws {
    let form = try form([
      .init(
        "langs", kind: .listMulti, values: ["en", "fr"],
        options: [.init(value: "en"), .init(value: "fr"), .init(value: "zh")]),
      .init("about", kind: .textMulti, description: "A few words", values: ["one", "two"]),
      .init("h", kind: .hidden, values: ["1", "2"]),
    ])
    #expect(form.hidden == ["h": ["1", "2"]])
    #expect(form.questions.fields.map(\.values) == [["en", "fr"], ["one", "two"]])
    #expect(form.questions.fields.map(\.hint) == [nil, "A few words"])
    #expect(form.questions.fields.map(\.kind).last == .lines)
  }

  @Test func `a picture without an address is known to be missing`() throws {
    let text = """
      <query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='form'>
      <field var='ocr' type='text-single'><media xmlns='urn:xmpp:media-element'>
      <uri type='image/png'>cid:sha1+x@bob.xmpp.org</uri></media></field></x></query>
      """
    func lacks(_ text: String) throws -> Bool {
      let asked = try #require(Element(keptText: text).flatMap { XEP0077Registration($0) })
      return RegistrationForm(asked).lacksPicture
    }
    #expect(try lacks(text))
    #expect(try !lacks(text.replacing("cid:sha1+x@bob.xmpp.org", with: "https://a.example/1")))
  }

  @Test func `the picture of a CAPTCHA is shown as a URL before the field for its text`() throws {
    // As ejabberd sends it (XEP-0158 with XEP-0221).
    let text = """
      <query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='form'>
      <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:captcha</value></field>
      <field type='fixed' label='If you do not see the picture, visit this page.'/>
      <field var='captcha-fallback-url' type='text-single'><value>https://a.example/c/1</value></field>
      <field var='challenge' type='hidden'><value>1</value></field>
      <field var='ocr' type='text-single' label='Enter the text you see'><required/>
      <media xmlns='urn:xmpp:media-element'><uri type='image/png'>cid:sha1+x@bob.xmpp.org</uri>
      <uri type='image/png'>https://a.example/c/1/image</uri></media></field></x></query>
      """
    let element = try #require(Element(keptText: text))
    let asked = try #require(XEP0077Registration(element))
    let form = RegistrationForm(asked)
    #expect(
      form.questions.fields.map(\.label) == [
        "If you do not see the picture, visit this page.", "https://a.example/c/1",
        "https://a.example/c/1/image", "Enter the text you see",
      ])
    #expect(form.questions.fields.map { $0.kind == .note } == [true, true, true, false])
    #expect(form.hidden == ["challenge": ["1"]] && form.isForOneAnswer && !form.lacksPicture)
    // The hidden fields go back as they came, also over another connection with another question.
    let later = try #require(Element(keptText: text.replacing("<value>1<", with: "<value>2<")))
    let answer = try #require(XEP0077Registration(later)).answer(
      username: "a", password: "b", others: form.hidden.merging(["ocr": ["xyz"]]) { $1 }
    ).description
    #expect(answer.contains("<value>1</value>") && !answer.contains("<value>2</value>"))
    #expect(answer.contains("<value>xyz</value>"))
  }
}

@Suite struct InvitationTests {
  @Test(arguments: [
    ("xmpp:example.org?register;preauth=abc", "example.org", "abc"),
    ("xmpp:bob@example.org?register;preauth=a%2Bc", "bob@example.org", "a+c"),
    ("XMPP:bob@example.org?roster;preauth=abc;ibr=y", "example.org", "abc"),
    ("xmpp:b%C3%B6b@example.org?register;ibr=y;preauth=t", "böb@example.org", "t"),
  ])
  func `an invitation names a server, perhaps a name, and a token`(
    text: String, address: String, token: String
  ) {
    let invitation = Invitation(text)
    #expect(invitation?.address.description == address)
    #expect(invitation?.token == token)
  }

  @Test(arguments: [
    "", "xmpp:", "xmpp:bob@example.org", "xmpp:bob@example.org?message",
    "xmpp:bob@example.org?roster;preauth=abc", "xmpp:example.org?register",
    "xmpp:?register;preauth=a",
    "xmpp:example.org?register;preauth=", "https://example.org?register;preauth=a",
    "xmpp:a@b@c?register;preauth=%", "bob@example.org",
  ])
  func `everything else is none`(text: String) { #expect(Invitation(text) == nil) }
}
