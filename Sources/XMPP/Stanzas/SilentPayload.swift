/// What a message may have in it that is no message to the user: one without a text that consists of nothing else is not shown.
///
/// This is the only list of it. What is not on it, and is not read as something else, is shown as a message of a kind that is
/// not known, so that nothing that a person sent disappears.
package enum SilentPayload {
  /// Whether `element`, a child of a message, says nothing to the user by itself.
  package static func contains(_ element: Element) -> Bool {
    namespaces.contains(element.namespace)
      || elements[element.namespace]?.contains(element.name) ?? false
  }

  /// Namespaces of which no element says anything.
  package static let namespaces: Set<String> = [
    // What the other side is doing, and what became of messages.
    "http://jabber.org/protocol/chatstates",  // chat states
    "jabber:x:event",  // events of messages
    "urn:xmpp:rtt:0",  // letters before they are sent
    "urn:xmpp:receipts",  // receipts
    "urn:xmpp:chat-markers:0",  // markers
    "urn:xmpp:idle:1",  // idle

    // How a message is sent, stored and named.
    "urn:xmpp:hints",  // hints
    "urn:xmpp:sid:0",  // ids
    "urn:xmpp:delay",  // late
    "jabber:x:delay",  // late
    "http://jabber.org/protocol/address",  // addresses
    "http://jabber.org/protocol/amp",  // rules of delivery
    "http://jabber.org/protocol/shim",  // headers
    "http://jabber.org/protocol/caps",  // capabilities
    "http://jabber.org/protocol/nick",  // nicknames
    "vcard-temp:x:update",  // pictures
    "jabber:x:signed",  // signatures
    "urn:xmpp:sec-label:0",  // labels
    "urn:xmpp:push:0",  // push
    "google:nosave", "google:archive:settings",

    // Wrappings and notifications, which are read elsewhere.
    "urn:xmpp:carbons:2", "urn:xmpp:carbons:1",  // carbons
    "urn:xmpp:mam:2", "urn:xmpp:mam:1", "urn:xmpp:mam:0", "urn:xmpp:mam:tmp",  // archives
    "http://jabber.org/protocol/pubsub#event",  // events
    "http://jabber.org/protocol/pubsub",

    // Rooms: status, invitations, and who is who.
    "http://jabber.org/protocol/muc",  // rooms
    "http://jabber.org/protocol/muc#user",
    "http://jabber.org/protocol/muc#owner",
    "jabber:x:conference",  // direct invitations
    "urn:xmpp:occupant-id:0",  // occupant ids
    "urn:xmpp:captcha",  // questions for people

    // What belongs to another message, or to a text that is not there.
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
    "urn:xmpp:bob",  // data
    "http://jabber.org/protocol/xhtml-im",  // formatted text

    // Keys without a text, sessions, and data in pieces.
    "urn:xmpp:eme:0",  // what the encryption is called
    "eu.siacs.conversations.axolotl",  // OMEMO
    "urn:xmpp:omemo:0", "urn:xmpp:omemo:1", "urn:xmpp:omemo:2",
    "urn:xmpp:trust-messages:0", "urn:xmpp:tm:1",  // trust
    "http://jabber.org/protocol/feature-neg",  // sessions
    "http://jabber.org/protocol/ibb",  // data in pieces

    // Calls: the steps that say something are read before this list is asked.
    "urn:xmpp:jingle-message:0",  // calls
    "urn:xmpp:jingle-message:1",
  ]

  /// Of other namespaces, the elements that say nothing.
  package static let elements: [String: Set<String>] = [
    Namespace.client: ["body", "subject", "thread", "error"],
    "urn:xmpp:call-invites:0": ["accept", "reject", "retract", "left"],  // calls
  ]
}

extension MessageStanza {
  /// The namespace of the first thing in it that may say something to a client that knows it; `nil`: there is nothing of the kind.
  package var unknownPayload: String? {
    // What sets a room's subject is said as that.
    guard kind != .error, !isSubjectChange else { return nil }
    return element.elements.first { !SilentPayload.contains($0) && !$0.namespace.isEmpty }?
      .namespace
  }
}
