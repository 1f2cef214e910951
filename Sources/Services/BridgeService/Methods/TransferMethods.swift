import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Importing histories of other programs, and exporting messages.
enum TransferMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod(
      "import.run", .control,
      [
        .required("path", .filled(4096)), BridgeParameter("format", .filled(64)),
        BridgeParameter("owner", .address), BridgeParameter("names", .texts(most: 100)),
        BridgeParameter("zone", .filled(64)), BridgeParameter("since", .filled(64)),
        BridgeParameter("only", .address), BridgeParameter("trial", .boolean),
        BridgeParameter("password", .filled(4096)),
      ]
    ) { call in
      let arguments = call.arguments
      var request = BridgeImport(path: try call.path())
      request.format = arguments.text("format")
      request.owner = arguments.address("owner")?.bare
      request.names = arguments.texts("names") ?? []
      request.zone = arguments.text("zone")
      request.only = arguments.address("only")
      request.isTrial = arguments.boolean("trial")
      request.password = arguments.text("password")
      request.since = try call.time("since")
      return try await call.transfers.runImport(request)
    },
    BridgeMethod("import.undo", .control, [.required("batch", .integer(1...Int.max))]) { call in
      let (account, batch) = (try call.account.jid, call.arguments.integer("batch") ?? 0)
      guard let removed = try await call.transfers.undoImport(batch) else {
        throw BridgeError(.notFound, "no such import")
      }
      return JSONLine {
        $0.add("account", account.description)
        $0.add("batch", batch)
        $0.add("removed", removed)
      }
    },
    BridgeMethod(
      "export.run", .control,
      [
        .required("path", .filled(4096)),
        BridgeParameter("format", .choice(["jsonl", "text", "html", "archive"])),
        BridgeParameter("conversations", .texts(most: 1000)),
        BridgeParameter("since", .filled(64)), BridgeParameter("until", .filled(64)),
        BridgeParameter("files", .boolean), BridgeParameter("replace", .boolean),
      ]
    ) { call in
      try await call.checkReading()
      let arguments = call.arguments
      var request = BridgeExport(path: try call.path())
      request.format = arguments.text("format")
      request.conversations = try call.conversations()
      request.since = try call.time("since")
      request.until = try call.time("until")
      request.includesFiles = arguments.boolean("files")
      request.mayReplace = arguments.boolean("replace")
      guard let exports = try call.services.exports else { throw BridgeError(.busy) }
      return try await exports.runExport(request)
    },
  ]
}

extension BridgeCall {
  /// Returns the parameter `path`.
  /// - Throws: `BridgeError.Code.parameters` for one that depends on a current directory.
  fileprivate func path() throws(BridgeError) -> String {
    let path = try text("path")
    guard path.utf8.first == UInt8(ascii: "/") else { throw .parameter("path", "is not absolute") }
    return path
  }

  /// Returns the moment of a parameter; `nil` if it is absent.
  fileprivate func time(_ name: String) throws(BridgeError) -> Date? {
    guard let text = arguments.text(name) else { return nil }
    guard let date = XEP0082DateTime.date(from: text) else {
      throw .parameter(name, "is not a time")
    }
    return date
  }

  /// Returns the addresses of the parameter `conversations`, each once.
  fileprivate func conversations() throws(BridgeError) -> [JID] {
    var addresses: [JID] = []
    var known: Set<JID> = []
    for (index, text) in (arguments.texts("conversations") ?? []).enumerated() {
      guard let jid = JID(parsing: text) else {
        throw .parameter("conversations.\(index)", "is not an address")
      }
      if known.insert(jid).inserted { addresses.append(jid) }
    }
    return addresses
  }

  /// Checks that the client may read all messages of the account: a file has them.
  /// - Throws: `BridgeError.Code.permission`.
  fileprivate func checkReading() async throws {
    let right = BridgePermission.readMessages
    let scope = try await (session.rights ?? .none).scope(of: right, in: account.jid)
    guard scope.isAll else { throw BridgeError.permission(right, .notDeclared) }
  }

  fileprivate var transfers: any HistoryTransferring {
    get throws(BridgeError) {
      guard let transfers = try services.transfers else { throw BridgeError(.busy) }
      return transfers
    }
  }
}
