import TestSupport
import Testing
import XML
import XMPP

/// Payloads without text for the user, encrypted text, and calls.
@Suite struct SilentPayloadTests {
  private func message(_ content: String, type: String = "chat") throws -> MessageStanza {
    MessageStanza(
      try Element(
        xml: "<message from='bob@b.example/x' type='\(type)' id='1'>\(content)</message>"))
  }

  @Test(arguments: [
    "<composing xmlns='http://jabber.org/protocol/chatstates'/><no-store xmlns='urn:xmpp:hints'/>",
    "<received xmlns='urn:xmpp:receipts' id='1'/>",
    "<displayed xmlns='urn:xmpp:chat-markers:0' id='1'/><stanza-id xmlns='urn:xmpp:sid:0'/>",
    "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='x'/></event>",
    "<sent xmlns='urn:xmpp:carbons:2'/>", "<result xmlns='urn:xmpp:mam:2'/>",
    "<x xmlns='http://jabber.org/protocol/muc#user'><status code='104'/></x>",
    "<x xmlns='jabber:x:conference' jid='a@b'/>", "<thread>t</thread><subject/><body/>",
    "<delay xmlns='urn:xmpp:delay' stamp='1970-01-01T00:00:00Z'/><x xmlns='jabber:x:delay'/>",
    "<encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'/></encrypted>",
    "<ringing xmlns='urn:xmpp:jingle-message:0' id='c'/>",
    "<left xmlns='urn:xmpp:call-invites:0' id='c'/>", "<rtt xmlns='urn:xmpp:rtt:0'/>", "",
  ]) func `what is on the list says nothing`(content: String) throws {
    #expect(try message(content).unknownPayload == nil)
  }

  @Test(arguments: [
    ("<attention xmlns='urn:xmpp:attention:0'/>", "urn:xmpp:attention:0"),
    ("<active xmlns='http://jabber.org/protocol/chatstates'/><poll xmlns='urn:e'/>", "urn:e"),
    ("<invite xmlns='urn:xmpp:call-invites:0' id='c'/>", "urn:xmpp:call-invites:0"),
    ("<x xmlns='jabber:x:oob'><url>file:///x</url></x>", "jabber:x:oob"),
  ]) func `anything else may say something`(content: String, namespace: String) throws {
    #expect(try message(content).unknownPayload == namespace)
  }

  @Test func `an error is no message of a user`() throws {
    #expect(try message("<poll xmlns='urn:e'/>", type: "error").unknownPayload == nil)
  }

  private static let keys = "<header sid='1'><key rid='2'>a2V5</key></header>"

  @Test(arguments: [
    (
      "<encrypted xmlns='eu.siacs.conversations.axolotl'>\(keys)<payload>eA==</payload></encrypted>",
      "OMEMO"
    ),
    ("<encrypted xmlns='urn:xmpp:omemo:2'>\(keys)<payload>eA==</payload></encrypted>", "OMEMO"),
    ("<openpgp xmlns='urn:xmpp:openpgp:0'>eA==</openpgp><body>fallback</body>", "OpenPGP"),
    ("<x xmlns='jabber:x:encrypted'>eA==</x><body>fallback</body>", "OpenPGP"),
    ("<body>?OTR:AAMDJ==.</body>", "OTR"), ("<body>&#63;OTR:AAMDJ==.</body>", "OTR"),
    (
      "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:otr:0' name='x'/><body>?OTR:x</body>",
      "OTR"
    ),
    (
      "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:e' name='Enigma'/><body>use E</body>",
      "Enigma"
    ),
    ("<encryption xmlns='urn:xmpp:eme:0' namespace='urn:e'/>", "urn:e"),
  ]) func `encrypted text is known, by whatever name`(content: String, title: String) throws {
    let message = try message(content)
    #expect(message.encryption?.title == title)
    #expect(!message.isKeyTransport)
  }

  @Test func `keys without a text are no message`() throws {
    for namespace in ["eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2"] {
      let message = try message(
        """
        <encrypted xmlns='\(namespace)'>\(Self.keys)</encrypted>\
        <encryption xmlns='urn:xmpp:eme:0' namespace='\(namespace)' name='OMEMO'/>
        """, type: "normal")
      #expect(message.encryption == nil && message.isKeyTransport)
    }
    #expect(try message("<body>?OTRv2? hello</body>").encryption == nil)
    #expect(try message("<body>plain</body>").encryption == nil)
  }

  @Test func `the steps of a call are read`() throws {
    for kind in XEP0353Step.StepName.allCases {
      let step = XEP0353Step(kind, of: "c1")
      #expect(XEP0353Step(step.element) == step)
      let inside = try message("<\(kind.rawValue) xmlns='urn:xmpp:jingle-message:0' id='c1'/>")
      #expect(inside.callStep == step)
    }
    for other in [
      "<propose xmlns='urn:xmpp:jingle-message:0'/>",
      "<propose xmlns='urn:xmpp:jingle-message:0' id=''/>",
      "<propose xmlns='urn:xmpp:jingle-message:0' id='\(String(repeating: "x", count: 600))'/>",
      "<hello xmlns='urn:xmpp:jingle-message:0' id='c1'/>",
    ] {
      #expect(try message(other).callStep == nil)
    }
    let call = "<propose xmlns='urn:xmpp:jingle-message:0' id='c1'/>"
    #expect(try message(call, type: "groupchat").callStep == nil)
  }
}
