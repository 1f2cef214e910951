import XMPP

/// What scripts add to a message that is shown: marked parts, and lines below it.
package struct MessageDecoration: Hashable, Sendable {
  /// A marked part of the text.
  package struct Span: Hashable, Sendable {
    /// Never empty; in characters, as people see them.
    package let range: Range<Int>
    package let role: ScriptTextRole
    /// The address that the part opens; untrusted.
    package let link: String?

    package init(_ range: Range<Int>, _ role: ScriptTextRole, link: String? = nil) {
      (self.range, self.role, self.link) = (range, role, link)
    }
  }

  /// In the order of the text, and disjoint.
  package private(set) var spans: [Span]
  /// The lines below the message; untrusted.
  package private(set) var notes: [String]

  /// - Parameter spans: in the order of the text, and disjoint.
  package init(spans: [Span] = [], notes: [String] = []) {
    (self.spans, self.notes) = (spans, notes)
  }

  package var isEmpty: Bool { spans.isEmpty && notes.isEmpty }

  /// Adds what another script has for the same message. Of its parts, those that overlap one that
  /// is there are left out.
  package mutating func add(_ other: MessageDecoration) {
    notes += other.notes
    guard !spans.isEmpty else { return spans = other.spans }
    var merged: [Span] = []
    var rest = other.spans[...]
    var end = 0
    for span in spans {
      while let next = rest.first, next.range.lowerBound < span.range.lowerBound {
        rest.removeFirst()
        if next.range.lowerBound >= end, next.range.upperBound <= span.range.lowerBound {
          merged.append(next)
        }
      }
      merged.append(span)
      end = span.range.upperBound
    }
    spans = merged + rest.filter { $0.range.lowerBound >= end }
  }
}

/// The messages of a conversation that are on the screen, for scripts that decorate them.
package struct DecorationRequest: Hashable, Sendable {
  /// A message, and its text as it is shown.
  package struct Subject: Hashable, Sendable {
    package let id: Message.ID
    package let body: String

    package init(_ id: Message.ID, _ body: String) { (self.id, self.body) = (id, body) }

    // Texts are the same only if their bytes are.
    package static func == (left: Subject, right: Subject) -> Bool {
      left.id == right.id && left.body.utf8.elementsEqual(right.body.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// The most bytes of a text that is decorated.
  package static let bodyLimit = 16 << 10

  /// The account, bare.
  package let account: JID
  package let conversation: JID
  package let kind: Conversation.ConversationKind
  package let messages: [Subject]

  package init(
    _ messages: [Subject], in conversation: JID, _ kind: Conversation.ConversationKind,
    of account: JID
  ) {
    (self.account, self.conversation) = (account.bare, conversation)
    (self.kind, self.messages) = (kind, messages)
  }
}

extension ScriptManifest {
  /// Indicates whether the script decorates messages of a conversation once it may.
  package func decorates(_ conversation: JID, _ kind: Conversation.ConversationKind) -> Bool {
    decorated?.contains(conversation, kind) == true && permission(.decorations) != nil
      && permission(.bridge(.readMessages))?.scope.contains(conversation, kind) == true
  }
}
