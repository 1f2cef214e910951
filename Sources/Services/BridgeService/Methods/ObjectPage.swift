import JSONLines
import NatterCore
import XMPP

/// The objects of a list that fit into one answer.
struct ObjectPage {
  /// The most bytes of the objects.
  static let mostBytes = 900_000
  /// The parameter of methods that list: how many objects, which the client has, are left out.
  static let skip = BridgeParameter("skip", .integer(0...Int.max))

  private(set) var objects: [JSONLine] = []
  /// Indicates whether an object was left out.
  private(set) var isFull = false
  private var size = 0

  /// Adds an object; the first always fits.
  /// - Returns: `false` if it does not fit.
  mutating func add(_ object: JSONLine) -> Bool {
    size += object.text.utf8.count + 1
    isFull = !objects.isEmpty && size > Self.mostBytes
    if !isFull { objects.append(object) }
    return !isFull
  }
}

/// An object of a list, with the conversation whose right it needs.
struct ListedObject {
  let jid: JID
  var kind = Conversation.ConversationKind.direct
  let object: JSONLine
}

extension BridgeCall {
  /// Returns the objects of a list that come after the skipped ones, as far as they fit.
  func page<Item>(_ items: [Item], _ object: (Item) -> JSONLine) -> ObjectPage {
    var page = ObjectPage()
    for item in items.dropFirst(arguments.integer(ObjectPage.skip.name) ?? 0) {
      guard page.add(object(item)) else { break }
    }
    return page
  }

  /// Returns the answer with a list of all accounts: of each account what is inside the scope, by
  /// address.
  func list(
    _ name: String, _ objects: (BridgeAccount) async throws -> [ListedObject]
  ) async throws -> JSONLine {
    var found: [ListedObject] = []
    for subject in subjects {
      found += try await objects(subject.account)
        .filter { subject.scope.contains($0.jid, $0.kind) }
        .sorted { $0.jid.description < $1.jid.description }
    }
    return JSONLine { $0.add(name, page(found, \.object)) }
  }
}

extension JSONLine {
  /// Adds the objects of a page, and whether there are more.
  mutating func add(_ name: String, _ page: ObjectPage) {
    add(name, page.objects)
    add("more", page.isFull)
  }
}
