import XML

/// The payloads of a message that show nothing to the user: a message without text that consists
/// only of such payloads is not displayed.
///
/// This is the only list of them. A payload that is not listed, and that nothing else reads, is
/// displayed as a message of an unknown kind, so that nothing that a peer sent disappears.
package enum SilentPayload {
  /// Returns whether `element`, a child of a message, shows nothing to the user by itself.
  package static func contains(_ element: Element) -> Bool {
    let namespace = element.namespace
    guard namespace.utf8.count <= longestNamespace else { return false }
    return namespaces.contains(namespace) || elements[namespace]?.contains(element.name) ?? false
  }

  /// A longer namespace is not looked up, in bytes.
  private static let longestNamespace = 128

  /// Namespaces whose elements all show nothing.
  package static let namespaces: Set<String> = [
    // What the peer is doing, and what happened to messages.
    "http://jabber.org/protocol/chatstates",  // chat states
    "jabber:x:event",  // message events
    "urn:xmpp:rtt:0",  // real-time text
    "urn:xmpp:receipts",  // receipts
    "urn:xmpp:chat-markers:0",  // markers
    "urn:xmpp:idle:1",  // idle time

    // How a message is sent, stored and identified.
    "urn:xmpp:hints",  // hints
    "urn:xmpp:sid:0",  // ids
    "urn:xmpp:delay",  // delays
    "jabber:x:delay",  // delays (XEP-0091)
    "http://jabber.org/protocol/address",  // addresses
    "http://jabber.org/protocol/amp",  // delivery rules
    "http://jabber.org/protocol/shim",  // headers
    "http://jabber.org/protocol/caps",  // capabilities
    "http://jabber.org/protocol/nick",  // nicknames
    "vcard-temp:x:update",  // avatars
    "jabber:x:signed",  // signatures
    "urn:xmpp:sec-label:0",  // labels
    "urn:xmpp:push:0",  // push
    "google:nosave", "google:archive:settings",

    // Wrappers and notifications, which other code reads.
    "urn:xmpp:carbons:2", "urn:xmpp:carbons:1",  // carbons
    "urn:xmpp:mam:2", "urn:xmpp:mam:1", "urn:xmpp:mam:0", "urn:xmpp:mam:tmp",  // archives
    "http://jabber.org/protocol/pubsub#event",  // PubSub events
    "http://jabber.org/protocol/pubsub",

    // Rooms: status, invitations, and occupants' identities.
    "http://jabber.org/protocol/muc",  // rooms
    "http://jabber.org/protocol/muc#user",
    "http://jabber.org/protocol/muc#owner",
    "jabber:x:conference",  // direct invitations
    "urn:xmpp:occupant-id:0",  // occupant ids
    "urn:xmpp:captcha",  // CAPTCHA challenges

    // Payloads that belong to another message, or to a text that is missing.
    "urn:xmpp:message-correct:0",  // corrections
    "urn:xmpp:message-attaching:1",  // attachments
    "urn:xmpp:fasten:0",  // fastening
    "urn:xmpp:message-retract:1", "urn:xmpp:message-retract:0",  // retractions
    "urn:xmpp:message-moderate:1", "urn:xmpp:message-moderate:0",  // moderation
    "urn:xmpp:fallback:0",  // fallbacks
    "urn:xmpp:reactions:0",  // reactions
    "urn:xmpp:reply:0",  // replies
    "urn:xmpp:reference:0",  // references
    "urn:xmpp:styling:0",  // styling
    "urn:xmpp:bob",  // bits of binary
    "http://jabber.org/protocol/xhtml-im",  // formatted text

    // Keys without a text, sessions, and data in chunks.
    "urn:xmpp:eme:0",  // the name of the encryption
    "eu.siacs.conversations.axolotl",  // OMEMO
    "urn:xmpp:omemo:0", "urn:xmpp:omemo:1", "urn:xmpp:omemo:2",
    "urn:xmpp:trust-messages:0", "urn:xmpp:tm:1",  // trust
    "http://jabber.org/protocol/feature-neg",  // session negotiation
    "http://jabber.org/protocol/ibb",  // in-band bytestreams

    // Calls: the steps that the user sees are read before this list is consulted.
    "urn:xmpp:jingle-message:0",  // calls
    "urn:xmpp:jingle-message:1",
  ]

  /// In other namespaces, the elements that show nothing.
  package static let elements: [String: Set<String>] = [
    Namespace.client: ["body", "subject", "thread", "error"],
    "urn:xmpp:call-invites:0": ["accept", "reject", "retract", "left"],  // calls
  ]
}

extension MessageStanza {
  /// The namespace of the first child that may mean something to a client that supports it; `nil`
  /// when there is none.
  package var unknownPayload: String? {
    // A change of a room's subject is displayed as such.
    guard kind != .error, !isSubjectChange else { return nil }
    return element.elements.first { !SilentPayload.contains($0) && !$0.namespace.isEmpty }?
      .namespace
  }
}
