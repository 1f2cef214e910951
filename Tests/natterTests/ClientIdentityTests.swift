import Configuration
import Crypto
import NatterCore
import PeopleService
import Testing
import XML
import XMPP

@testable import natter

/// The identity that the program reports to servers.
@Suite struct ClientIdentityTests {
  private func features(_ privacy: Settings.Privacy = .init()) async throws -> Set<String> {
    let identity = ClientIdentity(crypto: CryptoLibrary(), privacy: privacy)
    let question = IQ(
      Element(
        "iq", Namespace.client, ["type": "get", "id": "1"],
        [Element("query", Namespace.discoInfo)]))
    let answer = try #require(await identity.answers[Namespace.discoInfo]?(question))
    return try #require(XEP0030Discovery(answer)).features
  }

  /// A server sends notifications of a node only to clients whose features have its name with
  /// `+notify`.
  @Test(arguments: [
    XEP0402Bookmark.namespace, XEP0490Displayed.node, ProfileFetcher.nicknames,
    ProfileFetcher.avatars, Feed.personalNode,
  ])
  func `news of each node that a service follows is asked for`(node: String) async throws {
    #expect(try await features().contains(node + "+notify"))
  }

  /// Other clients decide by these what they send; no refactoring changes them.
  @Test func `the features are these`() async throws {
    let messages: Set<String> = [
      "urn:xmpp:sid:0", "jabber:x:conference", "urn:xmpp:message-correct:0", "urn:xmpp:fallback:0",
      "urn:xmpp:reply:0", "urn:xmpp:reactions:0", "urn:xmpp:message-retract:1",
    ]
    let others: Set<String> = [
      "http://jabber.org/protocol/disco#info", "http://jabber.org/protocol/caps", "urn:xmpp:ping",
      "jabber:iq:version", "urn:xmpp:time", "http://jabber.org/protocol/muc",
      XEP0490Displayed.notifications, XEP0402Bookmark.namespace + "+notify",
      Feed.personalNode + "+notify", XEP0471Event.namespace, XEP0471Event.personalNode + "+notify",
      XEP0471Event.formerNamespace + "+notify", ProfileFetcher.nicknames + "+notify",
      ProfileFetcher.avatars + "+notify",
    ]
    let optional: Set<String> = [
      "urn:xmpp:receipts", "urn:xmpp:chat-markers:0", "jabber:iq:last",
      "http://jabber.org/protocol/chatstates",
    ]
    var privacy = Settings.Privacy()
    (privacy.sendsReceipts, privacy.sendsMarkers) = (true, true)
    (privacy.sendsTyping, privacy.sendsIdle) = (true, true)
    #expect(try await features(privacy) == messages.union(others).union(optional))
    (privacy.sendsReceipts, privacy.sendsMarkers) = (false, false)
    (privacy.sendsTyping, privacy.sendsIdle) = (false, false)
    #expect(try await features(privacy) == messages.union(others))
  }

  @Test func `what the user does not want reported is not offered`() async throws {
    var privacy = Settings.Privacy()
    privacy.sendsReceipts = true
    privacy.sendsMarkers = true
    privacy.sendsTyping = true
    let offered = [Namespace.receipts, XEP0333Marker.namespace, XEP0085ChatState.namespace]
    #expect(try await features(privacy).isSuperset(of: offered))
    privacy.sendsReceipts = false
    privacy.sendsMarkers = false
    privacy.sendsTyping = false
    #expect(try await features(privacy).isDisjoint(with: offered))
  }
}
