import XML

/// The identity and the features of an entity (XEP-0030 §3): the content of a `disco#info` result.
package struct XEP0030Discovery: Hashable, Sendable {
  /// An identity, such as `client/console`, with a name.
  package struct Identity: Hashable, Sendable {
    package let category: String
    package let type: String
    package let name: String?
    package let language: String?

    package init(category: String, type: String, name: String? = nil, language: String? = nil) {
      self.category = category
      self.type = type
      self.name = name
      self.language = language
    }
  }

  package var identities: [Identity]
  package var features: Set<String>
  /// Extended information (XEP-0128).
  package var forms: [XEP0004DataForm]

  package init(
    identities: [Identity] = [], features: Set<String> = [], forms: [XEP0004DataForm] = []
  ) {
    self.identities = identities
    self.features = features
    self.forms = forms
  }

  /// The longest name of a feature that is read, in bytes: a set hashes all of each.
  private static let longestFeature = 1024

  /// Returns the request for the information of an entity.
  package static func question(to jid: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", Namespace.discoInfo)])
  }

  /// Reads the answer to `question`; `nil` when it has no information.
  package init?(answer: Element) {
    guard let query = answer.first("query", Namespace.discoInfo) else { return nil }
    self.init(query)
  }

  /// Reads a `<query/>` of `disco#info`; `nil` when `element` is something else.
  package init?(_ element: Element) {
    guard element.is("query", Namespace.discoInfo) else { return nil }
    self.init(
      identities: element.all("identity", Namespace.discoInfo).map {
        Identity(
          category: $0["category"] ?? "", type: $0["type"] ?? "", name: $0["name"],
          language: $0["xml:lang"])
      },
      features: Set(
        element.all("feature", Namespace.discoInfo).compactMap { feature in
          feature["var"].flatMap { $0.utf8.count <= Self.longestFeature ? $0 : nil }
        }),
      forms: element.all("x", Namespace.dataForms).compactMap { XEP0004DataForm($0) })
  }

  /// Returns the `<query/>` of a response.
  package func element(node: String? = nil) -> Element {
    var query = Element("query", Namespace.discoInfo)
    query["node"] = node
    for identity in identities {
      var element = Element(
        "identity", Namespace.discoInfo, ["category": identity.category, "type": identity.type])
      element["name"] = identity.name
      element["xml:lang"] = identity.language
      query.append(element)
    }
    for feature in features.sorted() {
      query.append(Element("feature", Namespace.discoInfo, ["var": feature]))
    }
    for form in forms { query.append(form.element) }
    return query
  }
}

/// A part that an entity lists (XEP-0030 §4): an item of a `disco#items` result.
package struct XEP0030Item: Hashable, Sendable {
  package let jid: JID
  package let name: String?
  package let node: String?

  package init(jid: JID, name: String? = nil, node: String? = nil) {
    (self.jid, self.name, self.node) = (jid, name, node)
  }

  /// The most items that are read of a list, which may be as long as the entity wants.
  package static let most = 1000
  /// The number of items that are requested at once.
  private static let pageSize = 100
  /// The most pages that are requested: an entity may send fewer items at once.
  private static let mostPages = 20

  /// Returns the request for the items of an entity, or of a node of it (XEP-0030 §4).
  /// - Parameter page: The requested part; an entity without XEP-0059 answers with all.
  package static func question(
    to jid: JID, node: String? = nil, page: XEP0059Request? = nil
  ) -> Element {
    var query = Element("query", Namespace.discoItems)
    query["node"] = node
    if let page { query.append(page.element) }
    return Element("iq", Namespace.client, ["type": "get", "to": jid.description], [query])
  }

  /// Returns the items of an entity, or of a node of it, page by page; `most` at most. If a later
  /// page fails, for example because the list changed meanwhile, those before it are the list.
  /// - Throws: As `StanzaChannel.request`, if the first page fails; `CancellationError`.
  package static func list(
    of jid: JID, node: String? = nil, over channel: any StanzaChannel,
    timeout: Duration = .seconds(30)
  ) async throws -> [XEP0030Item] {
    func query(_ page: XEP0059Request?) async throws -> Element? {
      try await channel.request(question(to: jid, node: node, page: page), timeout: timeout)
        .first("query", Namespace.discoItems)
    }
    var found: [XEP0030Item] = []
    var seen: Set<XEP0030Item> = []
    var position = XEP0059Request.Position.first
    for _ in 0..<mostPages where found.count < most {
      let page: Element?
      do { page = try await query(XEP0059Request(position, limit: pageSize)) } catch let error
        as StanzaError where found.isEmpty && error.mayRejectPaging
      {
        return try await query(nil).map { items(in: $0) } ?? []
      } catch {
        try Task.checkCancellation()
        guard !found.isEmpty else { throw error }
        break
      }
      guard let page else { break }
      let before = found.count
      found += items(in: page).filter { seen.insert($0).inserted }
      // An entity without paging sends everything at once; one that begins again with the first
      // page must not be asked forever.
      guard found.count > before, let last = XEP0059Request.last(in: page) else { break }
      position = .after(last)
    }
    return Array(found.prefix(most))
  }

  /// Returns the items in the answer to `question`.
  package static func items(answer: Element) -> [XEP0030Item] {
    answer.first("query", Namespace.discoItems).map { items(in: $0) } ?? []
  }

  /// Returns the items of a `<query/>`, `limit` at most, without those that have no valid address.
  package static func items(in query: Element, limit: Int = most) -> [XEP0030Item] {
    query.all("item", Namespace.discoItems).prefix(limit).compactMap { element in
      guard let jid = element.address("jid").jid else { return nil }
      return XEP0030Item(jid: jid, name: element["name"], node: element["node"])
    }
  }
}

extension StanzaError {
  /// Indicates whether an entity without XEP-0059 may have rejected a request because of it.
  fileprivate var mayRejectPaging: Bool {
    [.badRequest, .featureNotImplemented, .notAcceptable].contains(condition)
  }
}
